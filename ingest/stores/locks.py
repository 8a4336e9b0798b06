"""The locks of a ledger: holds that are bound to a process, and leases that bridge the time between two processes.

A step of a run holds the collection's lock as a process, which renews its hold as long as it lives. The steps are
processes of their own, perhaps on other machines: from step to step the run has the lock by a lease.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from ingest.errors import Conflict, StoreError
from ingest.stores.holds import Hold, end_of, new_hold, time_ms

logger = logging.getLogger(__name__)

PROCESS_LEASE_S = 600.0
"""A process that stops renewing its hold, and cannot be seen to be dead from here, has lost it after so long."""

Change = Callable[[Sequence[Hold]], list[Hold]]


class Locks(ABC):
    """The locks of a ledger, over one atomic change of a lock's holds."""

    @abstractmethod
    def _change_holds(self, collection: str, change: Change) -> None:
        """Replace the holds of a lock by what `change` makes of them, as if nobody else were there.

        `change` may be called again; what it raises is raised, and nothing is changed then.
        """

    @contextmanager
    def lock(self, collection: str, owner: str, *, lease_s: float = PROCESS_LEASE_S) -> Iterator[None]:
        mine = new_hold(owner, lease_s)

        def others(holds: Sequence[Hold]) -> list[Hold]:
            return [hold for hold in holds if hold.hold != mine.hold]

        def renew(holds: Sequence[Hold]) -> list[Hold]:
            renewed = msgspec.structs.replace(mine, until_ms=end_of(lease_s))
            return [renewed if hold.hold == mine.hold else hold for hold in holds]

        self._change_holds(collection, lambda holds: [*_standing(collection, owner, holds), mine])
        try:
            with _repeated(lambda: self._change_holds(collection, renew), lease_s / 4):
                yield
        finally:
            self._change_holds(collection, others)

    def lease(self, collection: str, owner: str, *, lease_s: float) -> None:
        mine = Hold(_lease_id(collection, owner), owner, "", 0, end_of(lease_s))

        def take(holds: Sequence[Hold]) -> list[Hold]:
            return [*(hold for hold in _standing(collection, owner, holds) if hold.hold != mine.hold), mine]

        self._change_holds(collection, take)

    def extend_lease(self, collection: str, owner: str, *, lease_s: float) -> None:
        mine = _lease_id(collection, owner)

        def extend(holds: Sequence[Hold]) -> list[Hold]:
            until_ms = end_of(lease_s)
            return [msgspec.structs.replace(h, until_ms=until_ms) if h.hold == mine else h for h in holds]

        self._change_holds(collection, extend)

    def end_lease(self, collection: str, owner: str) -> None:
        mine = _lease_id(collection, owner)
        self._change_holds(collection, lambda holds: [hold for hold in holds if hold.hold != mine])

    def unlock(self, collection: str) -> list[Hold]:
        ended: list[Hold] = []

        def end(holds: Sequence[Hold]) -> list[Hold]:
            now_ms = time_ms()
            for hold in holds:
                if hold.is_at_work(now_ms):
                    raise Conflict(
                        f"collection {collection!r}: run {hold.describe()} is at work and cannot be taken over; end "
                        "that process first"
                    )
            ended[:] = [hold for hold in holds if not hold.is_over(now_ms)]
            return []

        self._change_holds(collection, end)
        return ended

    def holders(self, collection: str) -> list[Hold]:
        found: list[Hold] = []

        def look(holds: Sequence[Hold]) -> list[Hold]:
            now_ms = time_ms()
            found[:] = [hold for hold in holds if not hold.is_over(now_ms)]
            return found

        self._change_holds(collection, look)
        return found


def _standing(collection: str, owner: str, holds: Sequence[Hold]) -> list[Hold]:
    """Holds that are not over. Raises Conflict if one is another owner's."""
    now_ms = time_ms()
    standing = [hold for hold in holds if not hold.is_over(now_ms)]
    for hold in standing:
        if hold.owner != owner:
            raise Conflict(
                f"collection {collection!r} is held by run {hold.describe()} until {hold.until()} at most; wait for "
                "that run to end or, if it was abandoned, run again with --take-over (or `ingest unlock`)"
            )
    return standing


@contextmanager
def _repeated(action: Callable[[], None], every_s: float) -> Iterator[None]:
    """Call `action` now and then, until the end of the block; a store that does not answer is asked again later."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(every_s):
            try:
                action()
            except StoreError as error:
                logger.warning("a lock could not be renewed: %s", error)

    thread = threading.Thread(target=repeat, name="lock", daemon=True)
    if every_s > 0:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if thread.ident is not None:
            thread.join()


def _lease_id(collection: str, owner: str) -> str:
    return f"lease of {owner} over {collection}"
