"""A model served over HTTP: `GET /info` and `POST /predict`, arrays as in `ingest.wire`.

Any service that speaks this can be registered by its URL; its manifest (`ingest.stage.ModelInfo`) says what
it takes and returns, and is checked against what the pipeline has before the first page is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from numpy.typing import NDArray

from ingest import wire
from ingest.clients.rpc import Rpc
from ingest.errors import ServiceRefused, WireError
from ingest.stage import ModelInfo, Prediction


class ServiceModel:
    """`ingest.stage.Model` over HTTP."""

    def __init__(self, rpc: Rpc, *, takes: str, returns: tuple[str, ...]) -> None:
        self._rpc = rpc
        self._takes = takes
        self._returns = returns
        self._info: ModelInfo | None = None

    async def info(self) -> ModelInfo:
        """Raises ServiceUnavailable, or ServiceRefused if the model takes or returns something else than ours do."""
        if self._info is None:
            data = await self._rpc.get("/info")
            try:
                info = msgspec.json.decode(data, type=ModelInfo)
            except msgspec.MsgspecError as error:
                raise ServiceRefused(f"{self._rpc.url}/info: not the manifest of a model: {error}") from error
            if info.takes != self._takes:
                raise ServiceRefused(
                    f"{self._rpc.url}: {info.name} {info.version} takes {info.takes}, this release sends "
                    f"{self._takes}; deploy the service of the same release"
                )
            if info.returns != self._returns:
                raise ServiceRefused(
                    f"{self._rpc.url}: {info.name} {info.version} returns {', '.join(info.returns)}; this release "
                    f"knows {', '.join(self._returns)}, in this order"
                )
            self._info = info
        return self._info

    async def predict(self, pages: Sequence[NDArray[Any]]) -> Prediction:
        known = await self.info()
        answer = await self._rpc.post("/predict", wire.encode({}, pages), wire.CONTENT_TYPE)
        meta, arrays = wire.decode(answer)
        if len(arrays) != len(pages):
            raise WireError(f"{self._rpc.url}: {len(pages)} pages asked, {len(arrays)} answered")
        if meta.get("version") != known.version:
            raise ServiceRefused(
                f"{self._rpc.url}: the model changed from {known.version} to {meta.get('version')} during the batch"
            )
        return Prediction(arrays, float(meta.get("cpu_s", 0.0)), remote=True)

    async def close(self) -> None:
        await self._rpc.close()
