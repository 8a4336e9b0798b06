"""Requests to a service: deadline, retries with backoff, a limit on what is under way, and one mapping of errors."""

from __future__ import annotations

import asyncio
import io
import random
from types import TracebackType

import aiohttp

from ingest.errors import ServiceRefused, ServiceUnavailable

RETRY_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0
ERROR_TEXT = 300
"""Characters of a service's error answer that go into ours."""


class Rpc:
    """One service, by its base URL. Use within `async with`, or call `close`."""

    def __init__(self, url: str, *, timeout_s: float, attempts: int, concurrency: int) -> None:
        self.url = url
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._attempts = attempts
        self._slots = asyncio.Semaphore(concurrency)
        self._session: aiohttp.ClientSession | None = None

    async def get(self, path: str) -> bytes:
        return await self._request("GET", path, None, "")

    async def post(self, path: str, body: bytes, content_type: str) -> bytes:
        """Body of the answer.

        Raises ServiceUnavailable when no attempt got an answer, ServiceRefused when the service finds the request
        itself wrong; asking again cannot help then.
        """
        return await self._request("POST", path, body, content_type)

    async def _request(self, method: str, path: str, body: bytes | None, content_type: str) -> bytes:
        problem = ""
        for attempt in range(self._attempts):
            if attempt:
                longest = min(FIRST_WAIT_S * 2**attempt, LONGEST_WAIT_S)
                await asyncio.sleep(random.uniform(longest / 2, longest))
            async with self._slots:
                answer, problem = await self._attempt(method, path, body, content_type)
            if answer is not None:
                return answer
        raise ServiceUnavailable(f"{self.url}{path}: {problem} ({self._attempts} attempts)")

    async def _attempt(self, method: str, path: str, body: bytes | None, content_type: str) -> tuple[bytes | None, str]:
        """(answer, "") or (None, what went wrong)."""
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=self._timeout)
        headers = {"Content-Type": content_type} if content_type else {}
        data = None if body is None else io.BytesIO(body)
        try:
            async with self._session.request(method, self.url + path, data=data, headers=headers) as response:
                answer = await response.read()
                if response.status == 200:
                    return answer, ""
                text = answer[:ERROR_TEXT].decode("utf-8", "replace").strip()
                problem = f"status {response.status}{': ' if text else ''}{text}"
                if response.status not in RETRY_STATUS:
                    raise ServiceRefused(f"{self.url}{path}: {problem}")
                return None, problem
        except TimeoutError:
            return None, f"no answer within {self._timeout.total:g} s"
        except aiohttp.InvalidURL as error:
            raise ServiceRefused(f"{self.url}{path}: not a URL: {error}") from error
        except (aiohttp.ClientError, OSError) as error:
            return None, f"{type(error).__name__}: {error}"

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def __aenter__(self) -> Rpc:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
