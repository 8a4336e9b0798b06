"""botocore's failures as ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from botocore import exceptions as boto

from ingest.errors import IngestError, NotFound, SourceError, SourceUnavailable, StoreError, StoreUnavailable


class Kinds(NamedTuple):
    """What to raise: the same trouble is another error for a store than for a source."""

    failed: type[IngestError]
    unavailable: type[IngestError]
    missing: type[IngestError]


STORE = Kinds(StoreError, StoreUnavailable, NotFound)
SOURCE = Kinds(SourceError, SourceUnavailable, SourceError)

_TRANSIENT_CODES = frozenset(
    {
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestLimitExceeded",
        "TooManyRequestsException",
        "BandwidthLimitExceeded",
        "InternalError",
        "ServiceUnavailable",
        "RequestTimeout",
        "RequestTimeoutException",
        "OperationAborted",
        "ConditionalRequestConflict",
    }
)
_TRANSIENT = (
    boto.ConnectionError,  # no connection, no answer in time, a proxy that is away
    boto.HTTPClientError,
    boto.IncompleteReadError,
    boto.CredentialRetrievalError,
    boto.MetadataRetrievalError,
)
_CREDENTIALS = (
    boto.NoCredentialsError,
    boto.PartialCredentialsError,
    boto.NoAuthTokenError,
    boto.TokenRetrievalError,
    boto.SSOError,
    boto.LoginError,
)
_CURES = {
    "AccessDenied": "access denied; give these credentials s3:ListBucket on the bucket and s3:GetObject, s3:PutObject "
    "and s3:DeleteObject on its objects (a source needs ListBucket and GetObject)",
    "InvalidAccessKeyId": "the access key is not known there; check the credentials and AWS_ENDPOINT_URL",
    "SignatureDoesNotMatch": "the secret key is wrong, or a proxy changes requests; check the credentials",
    "ExpiredToken": "the session token is over; renew the credentials",
    "InvalidToken": "the session token is not valid; renew the credentials",
    "RequestTimeTooSkewed": "this machine's clock is wrong; set it",
    "NoSuchBucket": "there is no such bucket; create it, or check its name and AWS_ENDPOINT_URL",
    "PermanentRedirect": "the bucket is in another region; set AWS_REGION to it",
    "AuthorizationHeaderMalformed": "the bucket is in another region; set AWS_REGION to it",
    "IllegalLocationConstraintException": "the bucket is in another region; set AWS_REGION to it",
    "QuotaExceeded": "the quota is used up; make room and run again",
    "NotImplemented": "the server does not know this call; with an older one, set "
    "AWS_REQUEST_CHECKSUM_CALCULATION=when_required",
}
_CURES |= dict.fromkeys(("403", "Forbidden", "AllAccessDisabled"), _CURES["AccessDenied"])
_CURES |= dict.fromkeys(("301", "400"), "it was not understood; is AWS_REGION the bucket's?")


@contextmanager
def mapped(kinds: Kinds, action: str, what: str) -> Iterator[None]:
    """`action` and `what` make the sentence "cannot <action> <what>: …"."""
    try:
        yield
    except boto.ClientError as error:
        kind, reason = _answer(error, kinds)
        raise kind(f"cannot {action} {what}: {reason}") from error
    except boto.BotoCoreError as error:
        kind, reason = _failure(error, kinds)
        raise kind(f"cannot {action} {what}: {reason}") from error


def status_of(error: boto.ClientError) -> int:
    """Of the server's answer."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _answer(error: boto.ClientError, kinds: Kinds) -> tuple[type[IngestError], str]:
    """For a request that the server answered with an error."""
    code = error.response.get("Error", {}).get("Code", "")
    status = status_of(error)
    if code in ("NoSuchKey", "NoSuchVersion") or (status == 404 and code in ("404", "NotFound")):
        return kinds.missing, "there is no such object"
    if code in _TRANSIENT_CODES or status == 429 or status >= 500:
        return kinds.unavailable, f"the server cannot answer now ({code})"
    message = error.response.get("Error", {}).get("Message", "")
    return kinds.failed, _CURES.get(code) or f"the server refused ({code}: {message[:200]})"


def _failure(error: boto.BotoCoreError, kinds: Kinds) -> tuple[type[IngestError], str]:
    """For a request that got no answer, or none that can be used."""
    if isinstance(error, boto.SSLError):
        return kinds.failed, f"the server's certificate is not trusted ({error}); name its CA in AWS_CA_BUNDLE"
    if isinstance(error, _CREDENTIALS):
        return kinds.failed, f"no credentials ({error}); give some in one of the ways that AWS tools know"
    if isinstance(error, boto.FlexibleChecksumError):
        return kinds.failed, "it is damaged: its checksum is not the one it was stored with"
    kind = kinds.unavailable if isinstance(error, _TRANSIENT) else kinds.failed
    return kind, str(error)
