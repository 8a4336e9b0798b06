"""The layout service: `bentoml serve bentos.layout.service:Layout`."""

from __future__ import annotations

import bentoml

from bentos.service import TRAFFIC, arrays_app


@bentoml.service(name="layout", workers=1, traffic=TRAFFIC)
@bentoml.asgi_app(arrays_app(), path="/")
class Layout:
    """Rasters of pages in, maps of region probabilities out."""

    def __init__(self) -> None:
        # here and not above: the parent process imports this module too, and has no use for torch
        from bentos.models.layout_network import LayoutNetwork

        self.network = LayoutNetwork()
