"""Settings, from the environment (`INGEST_*`) and from nothing else.

Local default and cluster differ in these values alone. A wrong value stops the program at start with one line that
names the setting (`load_settings`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ingest.errors import ConfigError

Runner = Literal["local", "kubernetes"]
ModelStage = Literal["layout", "labels"]


class ModelService(BaseModel):
    """A model service that collections may choose by its name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stage: ModelStage
    """Which network it stands for."""
    url: str = Field(pattern="^https?://[^/ ]")
    version: str = ""
    """That it must have; empty: any."""


NO_OCR = "there is no OCR yet: a page without usable text is named and not read, a scan is rejected as needs-ocr"


class Settings(BaseSettings):
    """All settings; docs/settings.md is written from this class, and a test compares the two."""

    model_config = SettingsConfigDict(env_prefix="INGEST_", extra="forbid", frozen=True)

    home: Path = Field(Path(".ingest"), description="Folder for everything local: stores, logs, Airflow's home.")
    objects: str = Field("", description="Object store: a folder or `s3://bucket/prefix`. Default: `<home>/objects`.")
    ledger: str = Field("", description="Ledger: `sqlite:///path` or `mongodb://…`. Default: in `<home>`.")
    index: str = Field("", description="Search index: `tantivy:///path` or `https://…`. Default: in `<home>`.")
    collections: Path = Field(Path("collections.yaml"), description="Collections, with what their runs ask for.")
    nightly: str = Field("0 1 * * *", description="When `ingest_nightly` starts: a cron expression, in UTC.")

    layout_url: str = Field("", description="Layout service. Empty: the network runs in the worker's process.")
    labels_url: str = Field("", description="Label service. Empty: the network runs in the worker's process.")
    ocr_url: str = Field("", description="Must be empty: there is no OCR yet. Scans are rejected as `needs-ocr`.")

    models: dict[str, ModelService] = Field(
        {},
        description="Model services that a collection may choose instead, as JSON: "
        '`{"name": {"stage": "layout", "url": "http://…"}}`; a `version` there is insisted on.',
    )

    archive_max_gb: float = Field(256, gt=0, description="A .tar.gz source that holds more, unpacked, is refused.")
    url_timeout_s: float = Field(300, gt=0, description="Deadline of fetching one document that a list of URLs names.")
    url_private_hosts: str = Field(
        "",
        description="Hosts, with commas between, that a list of URLs may name though their addresses are not public.",
    )

    runner: Runner = Field("local", description="Who runs a batch: a local process, or a Kubernetes pod.")
    workers: int = Field(0, ge=0, description="Workers at a time on this machine. 0: one per core.")
    in_flight: int = Field(3, ge=1, le=64, description="Documents in flight in one worker.")
    grace_s: float = Field(
        0, ge=0, description="Seconds after SIGTERM in which a worker finishes documents; the rest it hands back."
    )

    document_timeout_s: float = Field(600, gt=0, description="Deadline of one document, in seconds of waiting.")
    page_timeout_s: float = Field(30, gt=0, description="Deadline of one page's parsing, in seconds.")
    document_memory_mb: int = Field(1536, ge=256, description="Memory limit of the process that holds a document.")
    document_max_mb: int = Field(2048, ge=1, description="Documents larger than this are rejected unread.")
    document_max_pages: int = Field(20_000, ge=1, description="Documents with more pages are rejected.")
    shard_pages: int = Field(256, ge=16, description="A longer document is split into page shards of this size.")

    pool: str = Field("default_pool", description="Airflow pool of the batches; its slots bound them over all runs.")
    batch_timeout_s: float = Field(14_400, gt=0, description="A batch that runs longer is ended and tried again.")
    kubernetes_image: str = Field("corpus-ingest-worker:latest", description="Image of the pods that run batches.")
    kubernetes_namespace: str = Field("default", description="Namespace of the pods that run batches.")
    kubernetes_service_account: str = Field("", description="Service account of the pods; empty: the namespace's.")
    kubernetes_config_map: str = Field("", description="ConfigMap with the pods' INGEST_* settings; empty: none.")
    kubernetes_secret: str = Field("", description="Secret with what the pods' settings need in secrets; empty: none.")
    kubernetes_pods: int = Field(64, ge=1, description="Pods of one run at a time.")
    kubernetes_cpu: float = Field(1, gt=0, description="Cores that a pod asks for.")
    kubernetes_memory_mb: int = Field(
        3072, ge=512, description="Memory that a pod may use at most; after it was killed for memory, once, the double."
    )
    kubernetes_pod_template: str = Field(
        "", description="Pod that the pods are made from: a file, or JSON. Empty: `dags/worker_pod.yaml`."
    )
    kubernetes_deferrable: bool = Field(
        True, description="Wait for pods in Airflow's triggerer, where waiting holds no slot of a worker."
    )

    lease_s: float = Field(
        21_600, gt=0, description="Between two steps, a run keeps its collection to itself for so long at most."
    )
    removal_limit: float = Field(
        0.3, ge=0, le=1, description="Share of the published documents that a run may remove without being told to."
    )

    batch_seconds: float = Field(30, ge=1, description="Work that the planner aims to put into one batch.")
    max_batches: int = Field(1000, ge=1, le=1000, description="Batches of one run at most (Airflow's mapped tasks).")

    service_timeout_s: float = Field(60, gt=0, description="Deadline of one request to a model service.")
    service_attempts: int = Field(4, ge=1, description="Attempts per request to a model service.")

    @field_validator("ocr_url")
    @classmethod
    def _no_ocr(cls, value: str) -> str:
        if value:
            raise ValueError(f"{NO_OCR}; leave it empty")
        return value

    @field_validator("layout_url", "labels_url")
    @classmethod
    def _http(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return value.rstrip("/")

    @property
    def objects_uri(self) -> str:
        return self.objects or str(self.home / "objects")

    @property
    def ledger_uri(self) -> str:
        return self.ledger or f"sqlite:///{(self.home / 'ledger.sqlite').absolute()}"

    @property
    def index_uri(self) -> str:
        return self.index or f"tantivy:///{(self.home / 'index').absolute()}"


def load_settings(**overrides: object) -> Settings:
    """Settings from the environment, or ConfigError with one line per wrong setting."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        lines = [f"INGEST_{str(e['loc'][0]).upper()}={e['input']!r}: {e['msg']}" for e in error.errors()]
        raise ConfigError("; ".join(lines)) from None
