"""The application behind `/corpus`: pages and their JSON, for users who may see the ingestion DAG."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from airflow.api_fastapi.core_api.security import requires_access_dag
from fastapi import Depends, FastAPI, HTTPException, Path, Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

from corpus import pages, views
from ingest.config import load_settings
from ingest.errors import IngestError, NotFound, StoreError
from ingest.scheduling.files import RunFiles
from ingest.scheduling.names import COLLECTION, RUN_ID, run_id_for
from ingest.stores.objects import check_key, open_objects

DAG_ID = "ingest_collection"
"""Who may see this DAG may see these pages; Airflow's authorisation knows nothing finer that fits."""

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
DATA_DOCS_POLICY = POLICY.replace("style-src 'self'; script-src 'self'", "style-src 'unsafe-inline'")
"""Pages that were made elsewhere: they bring their style with them, and nothing in them is run."""

DATA_DOCS_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".css": "text/css; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}

CollectionName = Annotated[str, Path(pattern=f"^{COLLECTION.pattern}$")]
RunId = Annotated[str, Path(pattern=f"^{RUN_ID.pattern}$")]


def make_app() -> FastAPI:
    app = FastAPI(
        title="Corpus",
        description="Collections, their runs and their reports; read-only.",
        dependencies=[Depends(requires_access_dag("GET", param_dag_id=DAG_ID))],
        exception_handlers={
            StarletteHTTPException: _on_http_error,
            RequestValidationError: _on_wrong_address,
            IngestError: _on_ingest_error,
        },
        openapi_url=None,
    )
    app.middleware("http")(_secure)

    @app.get("/")
    def index(request: Request) -> Response:
        return _page(request, "collections.html", collections=views.collections())

    @app.get("/collections/{name}")
    def collection(request: Request, name: CollectionName) -> Response:
        found = _found(views.collection(name))
        latest = views.run_page(name, found.runs[0].run_id) if found.runs else None
        return _page(request, "collection.html", collection=found, page=latest)

    @app.get("/collections/{name}/runs/{run_id}")
    def run(request: Request, name: CollectionName, run_id: RunId) -> Response:
        return _page(request, "run.html", page=_found(views.run_page(name, run_id)), tab=False)

    @app.get("/collections/{name}/runs/{run_id}/data_docs/{path:path}")
    def data_docs(name: CollectionName, run_id: RunId, path: str) -> Response:
        objects = open_objects(load_settings().objects_uri)
        try:
            key = check_key(RunFiles(objects, name, run_id).key(f"data_docs/{path}"))
            data = objects.get(key)
        except (NotFound, StoreError) as error:
            if error.retry:
                raise
            raise HTTPException(404, "no such page") from error
        kind = DATA_DOCS_TYPES.get(f".{path.rpartition('.')[2]}", "application/octet-stream")
        return Response(data, media_type=kind, headers={"Content-Security-Policy": DATA_DOCS_POLICY})

    @app.get("/run")
    def run_tab(request: Request, run_id: str, dag_id: str = DAG_ID) -> Response:
        """The run of the collection that a run of the DAG is, as a tab of that run."""
        name = views.find_run(run_id_for(run_id)) if dag_id == DAG_ID else None
        if name is None:
            return _page(request, "no_run.html", dag_id=dag_id, run_id=run_id)
        return _page(request, "run.html", page=_found(views.run_page(name, run_id_for(run_id))), tab=True)

    @app.get("/run/data_docs")
    def run_data_docs(request: Request, run_id: str, dag_id: str = DAG_ID) -> Response:
        name = views.find_run(run_id_for(run_id)) if dag_id == DAG_ID else None
        page = views.run_page(name, run_id_for(run_id)) if name else None
        if page is None or page.gate is None or not page.gate.data_docs:
            return _page(request, "no_run.html", dag_id=dag_id, run_id=run_id)
        where = f"collections/{page.collection}/runs/{page.run.run_id}/data_docs/{page.gate.data_docs}"
        return RedirectResponse(f"{request.scope['root_path']}/{where}", 303)

    @app.get("/api/collections")
    def api_collections() -> Response:
        return _json(views.collections())

    @app.get("/api/collections/{name}")
    def api_collection(name: CollectionName) -> Response:
        return _json(_found(views.collection(name)))

    @app.get("/api/collections/{name}/runs/{run_id}")
    def api_run(name: CollectionName, run_id: RunId) -> Response:
        return _json(_found(views.run_page(name, run_id)))

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in pages.STATIC:
            raise HTTPException(404, "no such file")
        return Response(pages.static(name), media_type=pages.STATIC[name], headers={"Cache-Control": "max-age=300"})

    return app


async def _secure(request: Request, call_next: Any) -> Response:
    response: Response = await call_next(request)
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _page(request: Request, template: str, **values: Any) -> Response:
    html = pages.render(template, request.scope["root_path"], **values)
    return Response(html, media_type="text/html; charset=utf-8")


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def _found(value: Any) -> Any:
    if value is None:
        raise HTTPException(404, "no such collection or run")
    return value


def _wants_html(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


async def _on_http_error(request: Request, error: Exception) -> Response:
    """A browser without a session goes to the login and comes back; everybody else gets the status."""
    assert isinstance(error, StarletteHTTPException)
    if error.status_code == 401 and _wants_html(request) and request.method == "GET":
        prefix = request.scope["root_path"].removesuffix("/corpus")
        return RedirectResponse(f"{prefix}/api/v2/auth/login?next={quote(str(request.url), safe='')}", 303)
    if _wants_html(request):
        html = pages.render("error.html", request.scope["root_path"], status=error.status_code, text=error.detail)
        return Response(html, error.status_code, media_type="text/html; charset=utf-8")
    return await http_exception_handler(request, error)


async def _on_wrong_address(request: Request, error: Exception) -> Response:
    """A name that no collection or run can have is the name of none."""
    return await _on_http_error(request, StarletteHTTPException(404, "no such page"))


async def _on_ingest_error(request: Request, error: Exception) -> Response:
    """Ledger, object store or a setting is at fault: say which."""
    assert isinstance(error, IngestError)
    status = 503 if error.retry else 500
    if _wants_html(request):
        html = pages.render("error.html", request.scope["root_path"], status=status, text=f"{error.code}: {error}")
        return Response(html, status, media_type="text/html; charset=utf-8")
    return Response(msgspec.json.encode({"detail": f"{error.code}: {error}"}), status, media_type="application/json")
