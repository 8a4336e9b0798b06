"""Errors of the file system that may be gone at the next attempt."""

from __future__ import annotations

import errno

TRANSIENT = frozenset({errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.EINTR})
