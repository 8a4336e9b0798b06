# Everything from a bare Debian 12 with python3.11, venv, make and gcc. `make help` lists what there is.

TRUTH ?= .ingest/generated
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
INSTALLED := .venv/installed

.DEFAULT_GOAL := help
.PHONY: help setup demo up down status test lint format unit e2e test-s3 test-nights table-2 images test-kubernetes \
	training-data train-layout train-labels clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## the environment: .venv with exactly the versions of constraints.txt

# Anew only when the requirements or the versions have changed; the mark is set last, so a broken attempt is repeated.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))' || { \
		echo "Python 3.11 or later is needed; name one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Installing into .venv; the first time this takes some minutes"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --disable-pip-version-check -qq --progress-bar off -c constraints.txt \
		-e '.[models,services,quality,stores,airflow,training,dev]'
	@touch $@

demo: setup ## start everything, ingest samples/, print report and a search, stop everything
	@$(BIN)/python -m devstack demo

up: setup ## start model services and Airflow, and leave them running
	@$(BIN)/python -m devstack up

down: ## stop what `make up` has started
	@test ! -x $(BIN)/python || $(BIN)/python -m devstack down

status: ## what runs
	@$(BIN)/python -m devstack status

test: lint unit ## lint, and every test that needs no outside server

unit: setup ## the tests alone
	$(BIN)/python -m pytest -n 2 --dist loadgroup

e2e: setup ## demos and stacks in every way they are used: at once, interrupted, killed, in a browser
	INGEST_TEST_DEMO=1 $(BIN)/python -m pytest tests/e2e/test_demo.py

images: ## container images of worker, model services and Airflow, with docker, podman or buildah
	images/build

test-kubernetes: setup ## the collection DAG with real pods, on the cluster of KUBECONFIG (docs/deploying.md)
	INGEST_TEST_KUBERNETES=1 $(BIN)/python -m pytest -s tests/deploy/test_cluster.py

table-2: setup ## the models of the paper and the project's own, measured: make table-2 TRUTH="folder ..." (docs/labeller.md)
	$(BIN)/python -m bentos.training.table2 --truth $(TRUTH) $(OPTIONS)

test-s3: setup ## S3 stores and sources, and whole runs, on a real radosgw (Debian: radosgw ceph-mon ceph-osd)
	@$(BIN)/python -m tests.support.radosgw --check
	INGEST_TEST_RADOSGW=1 $(BIN)/python -m pytest -v -k radosgw tests/contract/test_objects.py \
		tests/contract/test_sources.py tests/e2e/test_production_stores.py

test-nights: setup ## a month of nights of 2,000 documents and 20 killed runs, on folders and on radosgw and nx-27017
	INGEST_TEST_NIGHTS=2000 INGEST_TEST_RADOSGW=1 $(BIN)/python -m pytest -s tests/nights

training-data: setup ## labelled documents of the project's own; needs Chromium, TeX Live and LibreOffice
	$(BIN)/python -m bentos.training.generator .ingest/generated --seed 7 --documents 454
	$(BIN)/python -m bentos.training.generator .ingest/generated --seed 8 --documents 600
	$(BIN)/python -m bentos.training.generator .ingest/generated --seed 9 --documents 300 --engines latex
	$(BIN)/python -m bentos.training.generator .ingest/generated --seed 9 --documents 120 --engines chromium

FOLDS := .ingest/models/layout-0of2.pt .ingest/models/layout-1of2.pt

# The label network must see layout maps as bad as those of new documents, so half of the layouts is held out of each.
.ingest/models/layout-%of2.pt:
	@mkdir -p $(@D)
	$(BIN)/python -m bentos.training.train_layout $(TRUTH) --epochs 14 --hold-out $*/2 --out $@

train-layout: setup $(FOLDS) ## the layout network anew, on TRUTH="FOLDER …"; two hours on 2 cores
	$(BIN)/python -m bentos.training.train_layout $(TRUTH) --start $(firstword $(FOLDS)) --epochs 2 --out bentos/weights/layout.pt

train-labels: setup $(FOLDS) ## the label network anew, measured on unseen layouts and calibrated; an hour on 2 cores
	$(BIN)/python -m bentos.training.train_labels $(TRUTH) --layout $(FOLDS) --epochs 12 --out bentos/weights/labels.npz
	$(BIN)/python -m bentos.training.train_labels $(TRUTH) --layout $(FOLDS) --epochs 12 --hold-out 0/4 \
		--out .ingest/models/labels-0of4.npz
	$(BIN)/python -m bentos.training.calibrate $(TRUTH) --layout $(FOLDS) --weights .ingest/models/labels-0of4.npz --folds 4 \
		--into bentos/weights/labels.npz

lint: setup ## ruff, mypy and the layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: down ## remove the environment, what demos left and caches; ingested collections stay
	rm -rf .venv .ingest/demos .ingest/ports build dist *.egg-info
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
