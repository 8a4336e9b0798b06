"""The part of Kubernetes' API that running a pod takes, over HTTP; pods are processes of this machine.

A peer for tests and no cluster: it knows no images, volumes, references to settings, init containers or grace periods.
The container's command is looked up beside the running Python, its `$(NAMES)` are filled in from its environment.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import web

Pod = dict[str, Any]


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _status(code: int, reason: str) -> web.Response:
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code}
    return web.json_response(body, status=code)


class KubernetesDouble:
    def __init__(self) -> None:
        self.pods: dict[str, Pod] = {}
        self.specs: list[Pod] = []
        """Of all pods ever asked for, as they were asked for."""
        self.deleted: list[str] = []
        self.ends: dict[str, str] = {}
        """Text of a line -> what befalls the first pod that says it: `oom`, `evict` or `delete`."""
        self.url = ""
        self._logs: dict[str, list[str]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def application(self) -> web.Application:
        pods = "/api/v1/namespaces/{namespace}/pods"
        app = web.Application()
        app.add_routes(
            [
                web.get(pods, self._list),
                web.post(pods, self._create),
                web.get(pods + "/{name}", self._get),
                web.patch(pods + "/{name}", self._patch),
                web.delete(pods + "/{name}", self._delete),
                web.get(pods + "/{name}/log", self._log),
                web.get("/api/v1/namespaces/{namespace}/events", self._events),
            ]
        )
        return app

    async def _list(self, request: web.Request) -> web.Response:
        wanted = [part.partition("=") for part in request.query.get("labelSelector", "").split(",") if part]
        items = []
        for pod in self.pods.values():
            labels = pod["metadata"]["labels"]
            if all((labels.get(name.rstrip("!")) != value) == name.endswith("!") for name, _, value in wanted if value):
                items.append(pod)
        return web.json_response({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items})

    async def _create(self, request: web.Request) -> web.Response:
        pod: Pod = await request.json()
        self.specs.append(json.loads(json.dumps(pod)))
        name = pod["metadata"]["name"]
        if name in self.pods:
            return _status(409, "AlreadyExists")
        pod["metadata"] |= {"namespace": request.match_info["namespace"], "uid": name, "creationTimestamp": _now()}
        pod["status"] = {"phase": "Pending", "containerStatuses": []}
        self.pods[name] = pod
        self._logs[name] = []
        task = asyncio.create_task(self._run(pod))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return web.json_response(pod, status=201)

    async def _run(self, pod: Pod) -> None:
        container = pod["spec"]["containers"][0]
        env = dict(os.environ) | {e["name"]: e.get("value") or "" for e in container.get("env") or []}
        words = [*container["command"], *(container.get("args") or [])]
        words = [re.sub(r"\$\((\w+)\)", lambda m: env.get(m[1], m[0]), word) for word in words]
        words[0] = str(Path(sys.executable).parent / words[0])
        process = await asyncio.create_subprocess_exec(
            *words,
            env=env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._set(pod, "Running", {"running": {"startedAt": _now()}})
        assert process.stdout is not None
        end, line = "", ""
        async for said in process.stdout:
            line = said.decode("utf-8", "replace").rstrip()
            self._logs[pod["metadata"]["name"]].append(f"{_now()} {line}\n")
            for text in [text for text in self.ends if text in line and not end]:
                end = self.ends.pop(text)
                process.send_signal(signal.SIGTERM if end == "evict" else signal.SIGKILL)
                if end == "delete":
                    del self.pods[pod["metadata"]["name"]]
        code = await process.wait()
        code = code if code >= 0 else 128 - code
        reason = "OOMKilled" if end == "oom" else "Error" if code else "Completed"
        ended = {"exitCode": code, "reason": reason, "startedAt": _now(), "finishedAt": _now()}
        if code and container.get("terminationMessagePolicy") == "FallbackToLogsOnError":
            ended["message"] = line + "\n"
        self._set(pod, "Failed" if code else "Succeeded", {"terminated": ended})
        if end == "evict":
            pod["status"] |= {"reason": "Evicted", "message": "The node was low on resource: memory."}

    def _set(self, pod: Pod, phase: str, state: dict[str, Any]) -> None:
        container = pod["spec"]["containers"][0]
        status = {"name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0}
        status |= {"ready": phase == "Running", "started": phase == "Running", "state": state}
        pod["status"] = {"phase": phase, "startTime": _now(), "containerStatuses": [status]}

    async def _get(self, request: web.Request) -> web.Response:
        pod = self.pods.get(request.match_info["name"])
        return web.json_response(pod) if pod else _status(404, "NotFound")

    async def _patch(self, request: web.Request) -> web.Response:
        pod = self.pods[request.match_info["name"]]
        pod["metadata"]["labels"] |= (await request.json())["metadata"].get("labels", {})
        return web.json_response(pod)

    async def _delete(self, request: web.Request) -> web.Response:
        pod = self.pods.pop(request.match_info["name"], None)
        if pod is None:
            return _status(404, "NotFound")
        self.deleted.append(pod["metadata"]["name"])
        return web.json_response(pod)

    async def _log(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        sent = 0
        while True:
            pod = self.pods.get(name)
            over = pod is None or pod["status"]["phase"] in ("Succeeded", "Failed")
            for line in self._logs[name][sent:]:
                await response.write(line.encode())
                sent += 1
            if over or request.query.get("follow") not in ("true", "True"):
                return response
            await asyncio.sleep(0.05)

    async def _events(self, request: web.Request) -> web.Response:
        metadata = {"resourceVersion": "1"}
        return web.json_response({"kind": "EventList", "apiVersion": "v1", "metadata": metadata, "items": []})


@contextmanager
def running() -> Iterator[KubernetesDouble]:
    """The double, listening on a free port of the loopback interface."""
    double = KubernetesDouble()
    loop = asyncio.new_event_loop()
    started = threading.Event()
    ended = asyncio.Event()

    async def serve() -> None:
        runner = web.AppRunner(double.application(), shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        double.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        started.set()
        await ended.wait()
        await runner.cleanup()

    def work() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert started.wait(10)
        yield double
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)


def kubeconfig(url: str) -> str:
    """What a client needs to find the double."""
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "double", "cluster": {"server": url}}],
            "users": [{"name": "test", "user": {"token": "none"}}],
            "contexts": [{"name": "double", "context": {"cluster": "double", "user": "test"}}],
            "current-context": "double",
        }
    )
