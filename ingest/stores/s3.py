"""A bucket of an S3 server: what the object store, the source and archives in S3 have in common.

boto3 finds server, region and credentials as all AWS tools do: `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`,
profiles, roles of the machine or the pod. None of it is ever written to a log.
"""

from __future__ import annotations

import hashlib
import logging
import random
import re
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import count
from typing import Any, BinaryIO, NamedTuple

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, FlexibleChecksumError

from ingest.errors import ConfigError
from ingest.stores.objects import ObjectInfo
from ingest.stores.s3_errors import Kinds, mapped, status_of
from ingest.stores.uris import redacted

CONNECTIONS = 32
"""Kept open at most: one for each thread of `asyncio.to_thread` that may be at work."""
SHA256 = "sha256"
"""Name of the metadata entry with the SHA-256 of the whole object, in hex."""

_ATTEMPTS = 6
"""Of one request, by botocore; with its backoff, some 10 s."""
_READS = 4
"""Of one object: connections that break while its bytes come are not botocore's to mend."""
_FIRST_WAIT_S = 0.1
_CHUNK = 1 << 20
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]")


class Address(NamedTuple):
    bucket: str
    prefix: str
    """Without slashes at its ends; may be empty."""

    def key(self, name: str) -> str:
        return f"{self.prefix}/{name}" if self.prefix else name

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def parse_address(uri: str) -> Address:
    """Of `s3://bucket/prefix`, taken literally. ConfigError for what can be no bucket."""
    bucket, _, prefix = uri.partition("://")[2].partition("/")
    if not _BUCKET.fullmatch(bucket):
        raise ConfigError(
            f"{redacted(uri)!r} names no bucket; write s3://bucket/prefix, the server's address into "
            "AWS_ENDPOINT_URL, and credentials where AWS tools look for them"
        )
    return Address(bucket, prefix.strip("/"))


class Bucket:
    """Any number of threads may use it. To be made anew in a process made by fork."""

    def __init__(self, name: str, kinds: Kinds) -> None:
        """Connects at the first request. ConfigError if the AWS settings make no sense."""
        self.name = name
        self._kinds = kinds
        # At its DEBUG level botocore writes whole requests, session tokens included.
        logging.getLogger("botocore").setLevel(logging.INFO)
        config = Config(
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
            max_pool_connections=CONNECTIONS,
            connect_timeout=10,
            read_timeout=60,
            tcp_keepalive=True,
        )
        try:
            self.client: Any = boto3.session.Session().client("s3", config=config)
        except (BotoCoreError, ValueError) as error:
            raise ConfigError(f"s3://{name}: the AWS settings cannot be used: {error}") from error

    def mapped(self, action: str, key: str) -> AbstractContextManager[None]:
        """Context in which botocore's errors become ours."""
        return mapped(self._kinds, action, f"s3://{self.name}/{key}")

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Objects whose key begins with the prefix, in order of their keys; keys are whole."""
        with self.mapped("list", f"{prefix}*"):
            for page in self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix):
                for found in page.get("Contents", ()):
                    yield _info(found["Key"], found["Size"], found)

    def head(self, key: str) -> tuple[ObjectInfo, dict[str, str]]:
        """The object and its metadata."""
        with self.mapped("look at", key):
            found = self.client.head_object(Bucket=self.name, Key=key)
        return _info(key, found["ContentLength"], found), found.get("Metadata", {})

    def read(self, key: str, into: BinaryIO) -> str:
        """Write the whole object, as it was at one moment, into an empty file; SHA-256 of it, in hex.

        A connection that breaks is taken up where it broke; an object that was replaced meanwhile is read from its
        start. Bytes that do not fit the checksum they were stored with are read again before that is an error.
        """
        reading = _Reading(into)
        for attempt in count(1):
            try:
                with self.mapped("read", key):
                    try:
                        return self._read_on(key, reading)
                    except FlexibleChecksumError:
                        reading.restart()
                        if attempt == _READS:
                            raise
            except self._kinds.unavailable:
                if attempt == _READS:
                    raise
            pause(attempt)
        raise AssertionError

    def _read_on(self, key: str, reading: _Reading) -> str:
        """Read what is missing; SHA-256 of all of it."""
        answer: dict[str, Any] = {}
        if reading.size:
            missing = {"IfMatch": reading.etag, "Range": f"bytes={reading.size}-"}
            try:
                answer = self.client.get_object(Bucket=self.name, Key=key, **missing)
            except ClientError as error:
                if status_of(error) not in (412, 416):
                    raise
                reading.restart()
        if not reading.size:
            answer = self.client.get_object(Bucket=self.name, Key=key)
            reading.etag, reading.expected = answer["ETag"], answer.get("Metadata", {}).get(SHA256)
        for chunk in answer["Body"].iter_chunks(_CHUNK):
            reading.add(chunk)
        return reading.end()


class _Reading:
    """What has come of an object so far."""

    def __init__(self, into: BinaryIO) -> None:
        self._into = into
        self.etag = ""
        self.expected: str | None = None
        self.size = 0
        self._digest = hashlib.sha256()

    def add(self, chunk: bytes) -> None:
        self._into.write(chunk)
        self._digest.update(chunk)
        self.size += len(chunk)

    def restart(self) -> None:
        self._into.seek(0)
        self._into.truncate()
        self.size, self._digest = 0, hashlib.sha256()

    def end(self) -> str:
        found = self._digest.hexdigest()
        if self.expected not in (None, found):
            raise FlexibleChecksumError(error_msg=f"SHA-256 {found}, stored with {self.expected}")
        return found


def pause(attempt: int) -> None:
    """Before another attempt, counted from 1."""
    time.sleep(_FIRST_WAIT_S * 2**attempt * random.uniform(0.5, 1))


def _info(key: str, size: int, found: dict[str, Any]) -> ObjectInfo:
    # Whole seconds: a listing gives milliseconds, a look at the object does not.
    return ObjectInfo(key, size, found["ETag"].strip('"'), int(found["LastModified"].timestamp()) * 1000)
