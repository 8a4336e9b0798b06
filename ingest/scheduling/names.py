"""Names of collections and runs: parts of object keys, so a small alphabet. Imports nothing heavy."""

from __future__ import annotations

import hashlib
import re

COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,199}")


def run_id_for(name: str) -> str:
    """The run id that stands for another system's name of a run; always the same for the same name.

    `manual__2026-11-20T06:15:00+00:00` becomes `manual__2026-11-20T06-15-00+00-00-5e0f1c`: what an object key cannot
    hold is replaced, and a hash of the whole name keeps names apart that would become the same.
    """
    if RUN_ID.fullmatch(name):
        return name
    clean = re.sub(r"[^A-Za-z0-9._+-]", "-", name).lstrip("._+-")[:190]
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:6]
    return f"{clean}-{digest}" if clean else digest
