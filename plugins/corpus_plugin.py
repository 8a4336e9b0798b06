"""The Corpus pages in Airflow's user interface: collections in the navigation, and a tab on each run.

Every process of Airflow imports this file, so what the pages need is imported when the first of them is asked for.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin

PREFIX = "/corpus"

_app: Any = None


async def app(scope: Any, receive: Any, send: Any) -> None:
    """ASGI application: the real one, made at the first request."""
    global _app
    if _app is None:
        from corpus.app import make_app

        _app = make_app()
    await _app(scope, receive, send)


BASE = urlsplit(conf.get("api", "base_url", fallback="") or "").path.rstrip("/")
"""Where a proxy has put Airflow."""


class CorpusPlugin(AirflowPlugin):
    name = "corpus"
    fastapi_apps = [{"app": app, "url_prefix": PREFIX, "name": "Corpus"}]  # noqa: RUF012 - Airflow's interface
    external_views = [  # noqa: RUF012
        {
            "name": "Corpus",
            "href": f"{BASE}{PREFIX}/",
            "destination": "nav",
            "url_route": "corpus",
            "nav_top_level": True,
        },
        {
            "name": "Corpus run",
            "href": f"{BASE}{PREFIX}/run?dag_id={{DAG_ID}}&run_id={{RUN_ID}}",
            "destination": "dag_run",
            "url_route": "corpus_run",
        },
    ]
