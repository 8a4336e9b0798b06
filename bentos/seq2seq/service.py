"""The label service: `bentoml serve bentos.seq2seq.service:Labels`."""

from __future__ import annotations

import bentoml

from bentos.service import TRAFFIC, arrays_app


@bentoml.service(name="labels", workers=1, traffic=TRAFFIC)
@bentoml.asgi_app(arrays_app(), path="/")
class Labels:
    """Features of cells in, label probabilities out."""

    def __init__(self) -> None:
        from bentos.models.label_network import LabelNetwork

        self.network = LabelNetwork()
