"""Assets that other DAGs can follow: a published collection, or all of them.

    @dag(schedule=[collection_asset("papers")])    after each publish of one collection
    @dag(schedule=[PUBLISHED])                     after each publish of any

The event's `extra` has collection and run_id, and how many documents were written and removed, and are there in total;
a publish that changed nothing is announced too, with zeros.
"""

from __future__ import annotations

from airflow.sdk import Asset, AssetAlias

PUBLISHED = AssetAlias("corpus-published", group="corpus")


def collection_asset(collection: str) -> Asset:
    """What its publishes update."""
    return Asset(name=f"corpus-{collection}", uri=f"x-corpus://{collection}", group="corpus")
