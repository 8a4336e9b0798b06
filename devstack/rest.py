"""Small HTTP client for servers on this machine: no proxies, JSON in and out."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class HttpError(Exception):
    """The server answered with an error, or not at all (status 0)."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"status {status}: {text}" if status else text)
        self.status = status

    @property
    def passing(self) -> bool:
        """A busy machine's: the server may answer when it is asked again."""
        return self.status == 0 or self.status >= 500


def request(url: str, body: Any = None, *, timeout_s: float = 30.0) -> bytes:
    """GET, or POST of a JSON body. Raises HttpError."""
    data = None if body is None else json.dumps(body).encode()
    message = urllib.request.Request(url, data, {"Content-Type": "application/json", "Accept": "application/json"})
    try:
        with _opener.open(message, timeout=timeout_s) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            raise HttpError(error.code, error.read(2000).decode("utf-8", "replace")) from None
    except (OSError, http.client.HTTPException) as error:
        raise HttpError(0, f"{url}: {error}") from None


def answers(url: str) -> bool:
    """Whether a GET is answered with success."""
    try:
        request(url, timeout_s=5.0)
    except HttpError:
        return False
    return True


class Airflow:
    """Airflow's REST API. With all users admins, as the stack sets it, no token is needed."""

    def __init__(self, url: str) -> None:
        self._api = f"{url}/api/v2"

    def get(self, path: str, **query: Any) -> Any:
        return json.loads(request(f"{self._api}/{path}?{urllib.parse.urlencode(query)}"))

    def post(self, path: str, body: Any) -> Any:
        return json.loads(request(f"{self._api}/{path}", body))

    def is_healthy(self, part: str) -> bool:
        """Whether scheduler, dag-processor, triggerer or api-server is up, as the API server sees it."""
        try:
            health = self.get("monitor/health")
        except HttpError:
            return False
        return part == "api-server" or health.get(part.replace("-", "_"), {}).get("status") == "healthy"

    def ensure_pool(self, name: str, slots: int, description: str) -> None:
        body = {"name": name, "slots": slots, "description": description, "include_deferred": False}
        self._post_once("pools", body)

    def has_dag(self, dag_id: str) -> bool:
        try:
            self.get(f"dags/{dag_id}")
        except HttpError as error:
            if error.status == 404:
                return False
            raise
        return True

    def import_errors(self) -> list[str]:
        return [f"{e['filename']}: {e['stack_trace']}" for e in self.get("importErrors")["import_errors"]]

    def trigger(self, dag_id: str, run_id: str, conf: dict[str, Any]) -> None:
        """Start a run; none is started if there is one of that name."""
        self._post_once(f"dags/{dag_id}/dagRuns", {"dag_run_id": run_id, "logical_date": None, "conf": conf})

    def _post_once(self, path: str, body: Any) -> None:
        try:
            self.post(path, body)
        except HttpError as error:
            if error.status != 409:
                raise

    def run_state(self, dag_id: str, run_id: str) -> str:
        return str(self.get(f"dags/{dag_id}/dagRuns/{run_id}")["state"])

    def task_states(self, dag_id: str, run_id: str) -> list[tuple[str, str]]:
        """(name, state) of all task instances, in no order."""
        found = self.get(f"dags/{dag_id}/dagRuns/{run_id}/taskInstances", limit=1000)["task_instances"]
        return [(t["task_id"], t["state"] or "") for t in found]
