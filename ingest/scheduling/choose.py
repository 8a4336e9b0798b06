"""Which model services a run uses: those of the settings, or others that its collection chooses by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ingest.config import Settings
from ingest.errors import ConfigError, WrongVersion


def models(settings: Settings, names: Iterable[str]) -> dict[str, str]:
    """Stage -> URL of the chosen services. Raises ConfigError for an unknown name, or two of one stage."""
    chosen: dict[str, str] = {}
    for name in names:
        service = settings.models.get(name)
        if service is None:
            known = ", ".join(sorted(settings.models)) or "none"
            raise ConfigError(f"model {name!r} is not in INGEST_MODELS; known are {known}")
        if service.stage in chosen:
            raise ConfigError(f"model {name!r}: another one is chosen for the stage {service.stage} already")
        chosen[service.stage] = service.url.rstrip("/")
    return chosen


def check(settings: Settings, names: Iterable[str], versions: Mapping[str, str]) -> None:
    """Raises WrongVersion where a chosen service does not have the version that the settings insist on."""
    for name in names:
        service = settings.models[name]
        if service.version not in ("", versions[service.stage]):
            raise WrongVersion(
                f"model {name!r} at {service.url} is {versions[service.stage]}, INGEST_MODELS wants {service.version}"
            )
