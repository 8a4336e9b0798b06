"""Arrays on the wire: between a worker and a model service, and between a worker and its sandbox.

    b"IW1\\n" | uint32 length of the header | header (msgpack) | the arrays' bytes, one after the other

The header holds a `meta` object and, for each array, dtype and shape. Raw bytes cost nothing to read, where JSON or
multipart cost more than the network's own work; and unlike pickle they can be taken from anyone.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ingest.errors import WireError

MAGIC = b"IW1\n"
_DTYPES = {"u1": np.uint8, "i1": np.int8, "i2": np.int16, "u4": np.uint32, "f4": np.float32, "i8": np.int64}
_NAMES = {np.dtype(t): name for name, t in _DTYPES.items()}
MAX_ARRAYS = 100_000
CONTENT_TYPE = "application/vnd.ingest.arrays"


class _Array(msgspec.Struct, array_like=True):
    dtype: str
    shape: tuple[int, ...]


class _Header(msgspec.Struct, array_like=True):
    meta: dict[str, Any]
    arrays: list[_Array]


_decoder = msgspec.msgpack.Decoder(_Header)


def encode(meta: dict[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> bytes:
    """Bytes of a message. Arrays are uint8, int8, int16, uint32, int64 or float32, of any shape."""
    described = [_Array(_NAMES[a.dtype], a.shape) for a in arrays]
    header = msgspec.msgpack.encode(_Header(meta, described))
    return b"".join(
        [MAGIC, struct.pack("<I", len(header)), header, *(np.ascontiguousarray(a).tobytes() for a in arrays)]
    )


def decode(data: bytes | bytearray | memoryview) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """(meta, read-only arrays) of a message. Raises WireError."""
    view = memoryview(data)
    if len(view) < 8 or view[:4] != MAGIC:
        raise WireError("not a message of arrays: it does not start with its signature")
    (length,) = struct.unpack("<I", view[4:8])
    try:
        header = _decoder.decode(view[8 : 8 + length])
    except msgspec.MsgspecError as error:
        raise WireError(f"the header of the message cannot be read: {error}") from error
    if len(header.arrays) > MAX_ARRAYS:
        raise WireError(f"{len(header.arrays)} arrays in one message; at most {MAX_ARRAYS} are allowed")
    arrays, position = [], 8 + length
    for described in header.arrays:
        dtype = _DTYPES.get(described.dtype)
        if dtype is None or any(side < 0 for side in described.shape):
            raise WireError(f"the message has an array of unknown type {described.dtype!r} or shape {described.shape}")
        count = math.prod(described.shape)
        size = count * np.dtype(dtype).itemsize
        if position + size > len(view):
            raise WireError(f"the message is cut off: {len(view)} bytes, more than {position + size} announced")
        arrays.append(np.frombuffer(view, dtype, count, position).reshape(described.shape))
        position += size
    if position != len(view):
        raise WireError(f"the message has {len(view) - position} bytes more than announced")
    return header.meta, arrays
