"""What zygote, child and worker say to one another.

On the control socket, JSON: the worker says `{"spawn": MB of address space}` with the child's end of a socket pair, or
`{"kill": pid}`; the zygote says `{"spawned": pid}` and `{"exited": pid, "status", "cpu_s", "memory_mb", "stderr"}`.
On a child's socket, frames.
"""

from __future__ import annotations

import socket
import struct
from enum import IntEnum

CONTROL_BYTES = 8192
"""Longest message on the control socket."""
STDERR_TAIL = 2000

MEMORY_STATUS = 86
"""Exit status of a child that ran into its memory limit inside Python."""


class Frame(IntEnum):
    """Kind of a frame on a child's socket: `kind (1 byte) | length (4 bytes, little endian) | payload`."""

    CALL = 0
    REPLY = 1
    ERROR = 2
    """Payload: code of the error, newline, message."""
    PROGRESS = 3
    """Payload: number of the page that is begun, 4 bytes."""


HEAD = struct.Struct("<BI")
NUMBER = struct.Struct("<I")


def send_frame(channel: socket.socket, kind: Frame, payload: bytes) -> None:
    channel.sendall(HEAD.pack(kind, len(payload)))
    channel.sendall(payload)


def receive_exactly(channel: socket.socket, size: int) -> bytes | None:
    """None at the end of the stream."""
    data = bytearray()
    while len(data) < size:
        part = channel.recv(min(size - len(data), 1 << 20))
        if not part:
            return None
        data += part
    return bytes(data)
