"""Messages of arrays: what goes in comes out, and nothing else is accepted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ingest import wire
from ingest.errors import WireError

ARRAYS = st.lists(
    st.sampled_from([np.uint8, np.int8, np.int16, np.uint32, np.float32, np.int64]).flatmap(
        lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    ),
    max_size=5,
)
META = st.dictionaries(st.text(max_size=5), st.one_of(st.integers(-(2**63), 2**63), st.text(), st.none()), max_size=4)


@given(META, ARRAYS)
def test_a_message_comes_back_as_it_was(meta: dict[str, object], arrays: list[np.ndarray]) -> None:
    read, back = wire.decode(wire.encode(meta, arrays))
    assert read == meta
    assert len(back) == len(arrays)
    for before, after in zip(arrays, back, strict=True):
        assert after.dtype == before.dtype
        np.testing.assert_array_equal(after, before)


@given(ARRAYS, st.data())
def test_a_message_that_is_cut_or_longer_is_refused(arrays: list[np.ndarray], data: st.DataObject) -> None:
    message = wire.encode({}, arrays)
    cut = data.draw(st.integers(0, len(message) - 1))
    with pytest.raises(WireError):
        wire.decode(message[:cut])
    with pytest.raises(WireError):
        wire.decode(message + b"x")


@given(st.binary(max_size=200))
def test_any_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode(data)


def test_a_negative_or_unknown_array_is_refused() -> None:
    import struct

    import msgspec

    for array in (["f4", [-1, 4]], ["O", [1]]):
        header = msgspec.msgpack.encode([{}, [array]])
        with pytest.raises(WireError, match="unknown type"):
            wire.decode(wire.MAGIC + struct.pack("<I", len(header)) + header + b"\0" * 8)
