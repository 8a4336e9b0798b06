"""Entries for the log in the sample book: invented days, put together from phrases."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

_WINDS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
_FORCES = ["calm", "light", "light", "moderate", "moderate", "fresh", "strong", "gale"]
_SEAS = {
    "calm": "smooth",
    "light": "smooth",
    "moderate": "slight",
    "fresh": "choppy",
    "strong": "rough",
    "gale": "high",
}

_SHIPS = [
    "Fidelity",
    "Two Sisters",
    "Halcyon",
    "Patience",
    "Star of Holm",
    "Good Intent",
    "Margrete",
    "Curlew",
    "Anna Voss",
]
_CARGOES = ["coal", "timber", "salt", "bricks", "herring in barrels", "seed potatoes", "slate", "rope", "a church bell"]
_FIRST = [
    "The {ship} came in with {cargo} and left her anchor on the bar.",
    "The {ship} went out with {cargo}, late, and was back within the hour.",
    "Cleaned the float. Found a {animal} in the well, alive, and put it back where it belongs.",
    "Clock {n} minutes {way} by the noon signal; set right.",
    "A {animal} on the steps from low water until dusk. It took no notice of the reading.",
    "The pilot cutter lay alongside all day. The pilots played cards in the house and used my pencil.",
    "Sheet changed. The paper is of the new sort and takes the ink badly.",
    "Ice on the staff up to {m}. Knocked it off with the boat hook and read again.",
    "Mr {person} of the board came to see the lamp, and asked whether red was necessary.",
    "Fog from morning. The far mole was seen for the first time at {h} o'clock.",
    "Measured the tape: {t}. The same as in spring.",
    "The children of the school were here, {n} of them, and each read the staff. Mean of all: right.",
    "Wind went round with the flood. The pen has drawn a step of four centimetres, which is real.",
    "Oil for the lamp nearly at an end. Wrote to the board.",
    "Read the staff with M. watching. She waits longer than I do, and is right.",
    "The {ship} signalled for the depth on the bar; gave her {n} feet more than she wanted.",
    "Two gentlemen from the observatory. They measured everything and ate my bread.",
    "A barrel drifted in through the intake channel and knocked against the well all night.",
    "Scraped the weed from the third step. The scratches of November can be seen again.",
    "Mr {person} asked for the highest water of the month and wrote it on his cuff.",
    "No remark, except that there is none.",
    "The {animal} of last week is back, or another.",
    "Rolled up the sheets of the quarter and took {n} tins to the office.",
    "Hail on the roof, so that I could not hear myself say the number.",
    "The {ship} unloaded {cargo} at the quay; dust on the ink.",
    "Low water so low that the old anchor was seen, the one that everybody says is not there.",
    "A boat from Holm brought eggs. Reading taken early by {n} minutes and marked so.",
    "Painted the window frame. Did not paint the float.",
]
_SECOND = [
    "Otherwise quiet.",
    "The error is unchanged.",
    "Error of the pen two centimetres, found the wire off the wheel.",
    "Greased the axle.",
    "Swell in the well, although the sea is smooth.",
    "Aurora after midnight.",
    "The fish market was closed.",
    "Somebody has painted the door.",
    "My sister writes that the ice has gone from the sound.",
    "The new moon was seen.",
    "It rained into the ledger; this line was written twice.",
    "No mail.",
    "The cat has moved in.",
    "Bought a new pencil, of the hard kind.",
]
_ANIMALS = ["crab", "seal", "cormorant", "starfish", "young eel", "gull", "lumpfish", "otter"]
_PERSONS = ["Brandvold", "Marsh", "Anskjold", "Halloran", "Quillon"]


@dataclass(slots=True)
class Entry:
    """One day of the log."""

    day: date
    high: float
    low: float
    """Metres above the zero of the gauge."""
    weather: str
    remark: str

    @property
    def heading(self) -> str:
        return f"{self.day:%A}, {self.day.day} {self.day:%B}"


def entries(first: date, count: int, seed: int) -> list[Entry]:
    """`count` consecutive days; the tide follows the moon, the rest follows the seed."""
    rng = random.Random(seed)
    remarks: list[str] = []
    made: list[Entry] = []
    for i in range(count):
        day = first + timedelta(days=i)
        age = (day.toordinal() % 14.77) / 14.77  # half a month: from spring tide to spring tide
        spring = 1 - abs(2 * age - 1)
        force, wind = rng.choice(_FORCES), rng.choice(_WINDS)
        surge = rng.uniform(-0.12, 0.12) + (0.35 if force == "gale" and "w" in wind else 0)
        high, low = 2.35 + 0.75 * spring + surge, 0.95 - 0.55 * spring + surge / 2
        weather = "calm" if force == "calm" else f"wind {wind}, {force}"
        weather += f"; sea {_SEAS[force]}; barometer {rng.randint(980, 1035)}"
        remarks = remarks or rng.sample(_FIRST, len(_FIRST))
        remark = remarks.pop().format(
            ship=f"<i>{rng.choice(_SHIPS)}</i>", cargo=rng.choice(_CARGOES), animal=rng.choice(_ANIMALS),
            n=rng.choice(["two", "three", "four", "nine", "eleven"]), way=rng.choice(["slow", "fast"]),
            m=f"{rng.uniform(1, 2):.1f} metres", person=rng.choice(_PERSONS),
            h=rng.choice(["ten", "eleven", "two", "three"]),
            t=f"5.{rng.randint(210, 213)}",
        )  # fmt: skip
        if rng.random() < 0.75:
            remark += " " + rng.choice(_SECOND)
        made.append(Entry(day, high, low, weather, remark))
    return made
