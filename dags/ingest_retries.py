"""What the end of a task's work means: the project's error, and whether another attempt can help."""

from __future__ import annotations

from airflow.sdk import Context, RetryDecision, RetryPolicy

from ingest.errors import Crashed, IngestError, RunError, by_code

EX_USAGE = 2
"""Exit status of a verb that was called wrongly, or with wrong settings: every attempt would end the same."""


class RetryWhereItHelps(RetryPolicy):
    """Retries what `ingest.errors` says a retry can help with; everything else fails at once."""

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        if isinstance(exception, IngestError) and exception.retry:
            return RetryDecision.retry(reason=f"{exception.code}: a retry can help")
        return RetryDecision.fail(reason=f"{type(exception).__name__}: a retry cannot help")


class RetryPods(RetryWhereItHelps):
    """The same for pods: the operator raises an error of its own while it handles ours, which says how the pod ended.

    Where there is none (a pod that is gone, an API server that does not answer), a retry may help.
    """

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        cause: BaseException | None = exception
        while cause is not None and not isinstance(cause, IngestError):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            return RetryDecision.default()
        return super().evaluate(cause, try_number, max_tries, context)


def worker_error(status: int, line: str) -> IngestError:
    """What a worker's exit status and its last line mean. A worker that died may have met a document that kills it:
    from the second attempt on such a document is found and fails alone, so a retry helps."""
    prefix, _, rest = line.partition(": ")
    code, _, message = rest.partition(": ")
    if prefix == "ingest" and message:
        return by_code(code)(message)
    if status == EX_USAGE:
        return RunError(f"the worker was called wrongly: {line}")
    return Crashed(f"the worker ended with status {status}: {line}")
