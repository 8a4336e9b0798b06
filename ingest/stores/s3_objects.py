"""Objects in a bucket of an S3 server, below a prefix.

A write is seen whole or not at all, as S3 has it. Each object carries its SHA-256, which is checked when it is read,
besides the checksums of S3 that boto3 sends and checks by itself where the server has them.
"""

from __future__ import annotations

import hashlib
import mimetypes
import secrets
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from ingest.errors import NotFound, StoreUnavailable
from ingest.stores.objects import ObjectInfo, check_key
from ingest.stores.s3 import SHA256, Bucket, parse_address, pause
from ingest.stores.s3_errors import STORE, status_of

MULTIPART = 64 << 20
"""Bytes from which on an object is sent in parts, several at a time."""
PART = 16 << 20

_WRITER = "writer"
"""Metadata entry by which a writer knows its own conditional write, when the answer to it was lost."""
_CONFLICTS = 6
"""Answers "somebody else is at it, try again" to a conditional write before we give up."""


class S3Objects:
    """ObjectStore below `s3://bucket/prefix`. Any number of threads and processes may use it at a time."""

    def __init__(self, uri: str) -> None:
        """No request is made yet. ConfigError for an address that names no bucket."""
        self.address = parse_address(uri)
        self._bucket = Bucket(self.address.bucket, STORE)
        self._parts = TransferConfig(multipart_threshold=MULTIPART, multipart_chunksize=PART, max_concurrency=4)

    def put(self, key: str, data: bytes, *, if_absent: bool = False) -> bool:
        name = self._name(key)
        sent = {
            "ContentType": mimetypes.guess_type(key)[0] or "application/octet-stream",
            "Metadata": {SHA256: hashlib.sha256(data).hexdigest()},
        }
        with self._bucket.mapped("write", name):
            if if_absent:
                return self._create(name, data, sent)
            if len(data) < MULTIPART:
                self._bucket.client.put_object(Bucket=self._bucket.name, Key=name, Body=data, **sent)
            else:
                self._bucket.client.upload_fileobj(
                    BytesIO(data), self._bucket.name, name, ExtraArgs=sent, Config=self._parts
                )
        return True

    def get(self, key: str) -> bytes:
        data = BytesIO()
        self._bucket.read(self._name(key), data)
        return data.getvalue()

    def stat(self, key: str) -> ObjectInfo | None:
        try:
            found, _ = self._bucket.head(self._name(key))
        except NotFound:
            return None
        return found._replace(key=key)

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        check_key(prefix + "x")
        start = len(self.address.key(""))
        for found in self._bucket.list(self.address.key(prefix)):
            key = found.key[start:]
            if not key.endswith("/"):  # else a mark that consoles make for an empty folder
                yield found._replace(key=key)

    def delete(self, key: str) -> None:
        name = self._name(key)
        with self._bucket.mapped("delete", name):
            self._bucket.client.delete_object(Bucket=self._bucket.name, Key=name)

    def _name(self, key: str) -> str:
        return self.address.key(check_key(key))

    def _create(self, name: str, data: bytes, sent: dict[str, Any]) -> bool:
        """Write unless there is such an object; in one request, as some servers do not look when parts are joined."""
        writer = secrets.token_hex(16)
        metadata = sent["Metadata"] | {_WRITER: writer}
        for attempt in range(1, _CONFLICTS + 1):
            try:
                self._bucket.client.put_object(
                    Bucket=self._bucket.name, Key=name, Body=data, IfNoneMatch="*", **sent | {"Metadata": metadata}
                )
            except ClientError as error:
                if status_of(error) == 412:
                    return self._is_mine(name, writer)
                if status_of(error) != 409:
                    raise
                pause(attempt)
            else:
                return True
        raise StoreUnavailable(f"cannot write {self.address}: other writers kept us from creating {name}")

    def _is_mine(self, name: str, writer: str) -> bool:
        """Whether an attempt of ours has written the object, though its answer was lost and it was sent again."""
        try:
            _, metadata = self._bucket.head(name)
        except NotFound:  # deleted since: it was there when we asked
            return False
        return metadata.get(_WRITER) == writer
