"""Checks run with Great Expectations: the only module that talks to it.

It is imported inside functions: importing it costs 3 seconds of CPU, and only the gate needs it. Everything lives in
memory but the Data Docs; nothing is sent anywhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ingest.errors import ConfigError, RunError, StoreError
from ingest.quality import data_docs
from ingest.quality.checks import Check
from ingest.quality.verdict import Verdict

if TYPE_CHECKING:
    from great_expectations.core.expectation_validation_result import ExpectationValidationResult

SITE = "data_docs"
_EXAMPLES = 3


class CheckResult(msgspec.Struct, kw_only=True, frozen=True):
    """How a check ended."""

    check: Check
    success: bool
    observed: str
    """What was found, in words."""
    offenders: dict[str, str]
    """Row that breaks the check -> the value found there, in the table's order. Empty for checks of aggregates."""


class Validator:
    """Runs checks on tables, and writes Data Docs about all of them into a folder."""

    def __init__(self, folder: Path, run_id: str) -> None:
        """What an earlier attempt at the same run left in the folder is replaced.

        Raises ConfigError if Great Expectations is not installed, StoreError if the folder cannot be written.
        """
        self._run_id = run_id
        self._folder = folder.absolute()
        with _writing(self._folder):
            data_docs.clear(self._folder)
        with _quiet():
            try:
                import great_expectations as gx
                from great_expectations.data_context.types.base import (
                    DataContextConfig,
                    InMemoryStoreBackendDefaults,
                    ProgressBarsConfig,
                )
            except ImportError as error:
                raise ConfigError(
                    f"the gate needs Great Expectations: pip install 'corpus-ingest[quality]' ({error})"
                ) from error
            config = DataContextConfig(
                store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
                progress_bars=ProgressBarsConfig(globally=False),
                analytics_enabled=False,
            )
            self._context = gx.get_context(mode="ephemeral", project_config=config)
            self._context.add_data_docs_site(SITE, _site(self._folder))

    def run(
        self,
        table: str,
        columns: Mapping[str, Sequence[object]],
        checks: Sequence[Check],
        *,
        index: str = "",
        also: Sequence[str] = (),
    ) -> list[CheckResult]:
        """Judge a table. Its column `index`, if any, names the rows that break a check; `also` is shown of them, too.

        Raises RunError if Great Expectations itself fails, or a check cannot be judged.
        """
        import great_expectations as gx
        import pandas as pd
        from great_expectations.exceptions.exceptions import GreatExpectationsError

        context = self._context
        result_format: dict[str, object] = {"result_format": "COMPLETE"}
        if index:
            result_format["unexpected_index_column_names"] = [index, *also]
        with _quiet():
            try:
                suite = context.suites.add(gx.ExpectationSuite(table, expectations=[_expectation(c) for c in checks]))
                asset = context.data_sources.add_pandas(table).add_dataframe_asset(table)
                definition = context.validation_definitions.add(
                    gx.ValidationDefinition(
                        name=table, data=asset.add_batch_definition_whole_dataframe(table), suite=suite
                    )
                )
                validated = definition.run(
                    batch_parameters={"dataframe": pd.DataFrame(_needed(columns, checks, [index, *also]))},
                    result_format=result_format,
                    run_id=gx.RunIdentifier(run_name=self._run_id),
                )
            except GreatExpectationsError as error:
                raise RunError(f"Great Expectations could not check the table {table!r}: {error}") from error
        found = {_name(result): result for result in validated.results}
        return [_result(check, found[check.name], index) for check in checks]

    def finish(self, verdict: Verdict, paths: Mapping[str, str]) -> None:
        """Write the Data Docs: one page per table, and an index that shows the verdict. Raises StoreError."""
        with _quiet(), _writing(self._folder):
            # once for all tables; a Checkpoint's UpdateDataDocsAction would do it once for each, at half a second
            self._context.build_data_docs(site_names=[SITE])
            data_docs.finish(self._folder, verdict, paths)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{folder}: Data Docs cannot be written there: {error}") from error


def _site(folder: Path) -> Any:
    return {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder)},
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
    }


def _expectation(check: Check) -> Any:
    """The check as an instance of its expectation."""
    import great_expectations.expectations as shipped
    from great_expectations.expectations.row_conditions import Column

    arguments = dict(check.arguments)
    if check.condition is not None:
        column, operator, value = check.condition
        arguments["row_condition"] = Column(column) >= value if operator == ">=" else Column(column) == value
    return getattr(shipped, check.expectation)(
        **arguments,
        description=check.description,
        severity=check.severity,
        meta={"check": check.name, "level": check.level},
    )


def _needed(
    columns: Mapping[str, Sequence[object]], checks: Sequence[Check], shown: Sequence[str]
) -> dict[str, Sequence[object]]:
    """What the checks look at: Great Expectations hashes all that it is given."""
    names = {name for check in checks for name in check.columns}
    names |= {check.condition[0] for check in checks if check.condition} | set(shown)
    return {name: values for name, values in columns.items() if name in names}


def _name(result: ExpectationValidationResult) -> str:
    config = result.expectation_config
    return str(config.meta["check"]) if config is not None and config.meta else ""


def _result(check: Check, found: ExpectationValidationResult, index: str) -> CheckResult:
    result = found.result
    if message := _exception(found.exception_info or {}):
        raise RunError(f"the check {check.name!r} cannot be judged: {message}")
    if "unexpected_count" not in result:
        value = result.get("observed_value")
        return CheckResult(check=check, success=bool(found.success), observed=_words(value), offenders={})
    if not index:
        values = [_described(check, value) for value in result["partial_unexpected_list"]]
        return CheckResult(check=check, success=bool(found.success), observed="; ".join(values), offenders={})
    offenders: dict[str, str] = {}
    for row in result.get("unexpected_index_list") or ():
        offenders.setdefault(str(row[index]), ", ".join(f"{c} {_words(v)}" for c, v in row.items() if c != index))
    examples = [" ".join(pair) for pair in list(offenders.items())[:_EXAMPLES]] + ["…"] * (len(offenders) > _EXAMPLES)
    observed = f"{result['unexpected_count']} of {result['element_count']}: {'; '.join(examples)}"
    return CheckResult(check=check, success=bool(found.success), observed=observed, offenders=offenders)


def _described(check: Check, value: object) -> str:
    values = value if isinstance(value, tuple) else (value,)
    return ", ".join(f"{column} {_words(v)}" for column, v in zip(check.columns, values, strict=True))


def _exception(info: dict[str, Any]) -> str:
    """Message of an exception within an expectation; Great Expectations nests one per metric, or not."""
    if "raised_exception" in info:
        return str(info.get("exception_message") or "unknown error") if info["raised_exception"] else ""
    return "; ".join(filter(None, (_exception(inner) for inner in info.values() if isinstance(inner, dict))))


def _words(value: object) -> str:
    """A scalar as people write it; numpy's scalars too."""
    plain = value.item() if hasattr(value, "item") else value
    return f"{plain:.4g}" if isinstance(plain, float) else str(plain) or "nothing"


@contextmanager
def _quiet() -> Iterator[None]:
    """Ignore what Great Expectations is known to warn of in its own code, and undo what it does to the filters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"module 'sre_(constants|parse)' is deprecated", DeprecationWarning)
        yield
