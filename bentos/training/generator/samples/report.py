"""Sample: an annual report full of tables: ruled, unruled, with spans, with cells of several lines, over two pages."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas

from bentos.training.generator.samples.expect import Expected, Notebook
from bentos.training.generator.samples.figures import bars
from bentos.training.generator.samples.style import Sheet, para
from bentos.training.generator.samples.typeset import Block, Break, Column, Layout, Stack, compose
from bentos.training.generator.samples.writer import Writer

TITLE = "Annual Measurement Report 2023"
BLUE, PALE = HexColor("#1f4e79"), HexColor("#e8eef5")
LEFT, RIGHT = 64.0, 56.0
WIDTH = A4[0] - LEFT - RIGHT

_STATIONS = (
    "Cape Ormond|Gull Stack|Otter Head|North Farrow|Farrow Sound|Kettle Point|Saint Brannoc|Holm Narrows|Holm Quay|"
    "Iron Steps|Grey Nuns|Port Ansgar East|Port Ansgar West|Ansgar Roads|Lantern Rock|Little Skerry|Great Skerry|"
    "Tarn Mouth|Marrow Bay|Marrow Bridge|Salt Pans|Weir House|Crane Island|Dunnock Sands|Petrel Bank|"
    "Long Mole|South Mole|Fisher's Gate|Cape Vesper"
)


def make(path: Path) -> Expected:
    """Writes the report and says what must be found in it."""
    sheet = Sheet("NotoSans-Regular", "NotoSans-Bold", "NotoSans-Regular", 9.4, 13.2)
    for style in (sheet.text, sheet.first):
        style.alignment = TA_LEFT
    for style in (sheet.h1, sheet.h2):
        style.textColor = BLUE
    notebook = Notebook(TITLE)

    def furniture(canvas: Canvas, page: int) -> None:
        if page == 1:
            canvas.setFillColor(BLUE)
            canvas.rect(0, A4[1] - 22, A4[0], 22, stroke=0, fill=1)
            canvas.setFillGray(0)
            return
        canvas.setFont("NotoSans-Regular", 7.5)
        canvas.drawString(LEFT, A4[1] - 40, "Skerry Institute of Sea-Level Measurement")
        canvas.drawRightString(A4[0] - RIGHT, A4[1] - 40, TITLE)
        canvas.setStrokeColor(BLUE)
        canvas.setLineWidth(0.6)
        canvas.line(LEFT, A4[1] - 45, A4[0] - RIGHT, A4[1] - 45)
        canvas.setStrokeGray(0)
        canvas.drawRightString(A4[0] - RIGHT, 34, f"Page {page}")
        canvas.drawString(LEFT, 34, "Report 23/04, approved 28 February 2024")

    layout = Layout(A4, lambda page: [Column(LEFT, 56, WIDTH, A4[1] - 64)], sheet.note, furniture)
    pages = compose(
        path,
        lambda known: layout,
        lambda known: _flow(sheet, notebook),
        TITLE,
        "Skerry Institute of Sea-Level Measurement",
    )
    return notebook.expected(pages)


def _grid(color: Any = "#7f8c99") -> list[Any]:
    return [("GRID", (0, 0), (-1, -1), 0.5, HexColor(color)), ("BACKGROUND", (0, 0), (-1, 0), PALE)]


def _flow(sheet: Sheet, notebook: Notebook) -> list[Block | Break]:
    w = Writer(sheet, notebook)
    _cover(w)
    _summary(w)
    _stations(w)
    _instruments(w)
    _people(w)
    return w.blocks


def _cover(w: Writer) -> None:
    title = ParagraphStyle("cover", parent=w.sheet.title, alignment=TA_LEFT, fontSize=24, leading=30, textColor=BLUE)
    line = ParagraphStyle("line", parent=w.sheet.text, fontSize=11, leading=15)
    w.add(
        Stack(
            [
                para(TITLE, title),
                para("Tide stations, reference levels and instruments of the outer coast", line),
                para("Skerry Institute of Sea-Level Measurement, Port Ansgar", line),
            ],
            0,
            24,
        )
    )


def _summary(w: Writer) -> None:
    w.heading(1, "The year in brief")
    w.p(
        "In 2023 the Institute ran twenty-nine tide stations, four more than in the year before, and delivered 98.1 "
        "per cent of all possible readings. Two stations were rebuilt after the storm of 9 January. The mean sea "
        "level of the outer coast stood 4 mm above that of 2022.",
        phrase="rebuilt after the storm of 9 January",
    )
    w.p(
        "For the first time the whole network was levelled within one summer. The new reference levels, published in "
        "Section 2, replace those of 2016 and differ from them by less than 3 mm everywhere but at Kettle Point."
    )
    # unruled: columns by white space alone
    w.table(
        [["", "2021", "2022", "2023"], ["Stations in operation", "24", "25", "29"],
         ["Readings delivered (millions)", "12.4", "12.9", "14.8"], ["Completeness (per cent)", "96.7", "97.4", "98.1"],
         ["Visits to stations", "141", "138", "176"], ["Mean level above datum (mm)", "71", "73", "77"]],
        [190, 70, 70, 70], [], "Key figures of three years.", [(1, 3), (2, 1), (5, 3)], flow=True, right=(1, 2, 3),
    )  # fmt: skip
    w.p(
        "Figure 1 shows the completeness of the readings by quarter. The first quarter carries the storm; the dip of "
        "the third is the week in which the data line of the northern stations was cut by a plough."
    )
    w.figure(
        bars((380, 150), ["Q1", "Q2", "Q3", "Q4"], [96.2, 99.4, 97.6, 99.1], "per cent", 100, "NotoSans-Regular"),
        "Completeness of the readings by quarter.",
    )
    w.heading(2, "What was promised and what was done")
    w.p("The plan for 2023 held six goals. Table 2 says what became of each.")
    span: list[Any] = [
        ["Goal", "Plan", "", "Result"],
        ["", "Date", "Cost (k€)", ""],
        ["Level the network", "June–August", "210", "Done in 74 working days. All bench marks found but two, which "
         "had been built over."],
        ["Rebuild Gull Stack", "May", "85", "Done in July. The delivery of the tube was six weeks late; the old "
         "station was kept running beside it until September."],
        ["Four new stations", "all year", "160", "Done: Holm Narrows, Farrow Sound, Little Skerry and Otter Head."],
        ["Replace paper recorders", "March", "12", "Half done. Three of six remain, because their keepers asked to "
         "keep them."],
        ["Open data service", "October", "40", "Moved to 2024."],
        ["Total", "", "507", "Spent: 471"],
    ]  # fmt: skip
    w.table(
        span, [105, 75, 60, 235],
        [*_grid(), ("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1)), ("SPAN", (3, 0), (3, 1)),
         ("BACKGROUND", (0, 1), (-1, 1), PALE), ("SPAN", (0, 7), (1, 7)), ("BACKGROUND", (0, 7), (-1, 7), PALE)],
        "Goals of the year.", [(0, 1), (2, 2), (4, 1), (7, 2)], flow=True, repeatRows=2,
    )  # fmt: skip


def _stations(w: Writer) -> None:
    w.heading(1, "Stations and reference levels")
    w.p(
        "Table 3 lists all stations from north to south. Heights are those of the station's bench mark above the "
        "national datum, from the levelling of 2023; the uncertainty is one standard deviation. A station without a "
        "change is new."
    )
    rng = random.Random(2304)
    names = _STATIONS.split("|")
    kinds = ["float", "radar", "pressure", "float and radar"]
    rows: list[list[Any]] = [["No.", "Station", "Gauge", "Since", "Height (m)", "± (mm)", "Change (mm)"]]
    new = {"Holm Narrows", "Farrow Sound", "Little Skerry", "Otter Head"}
    for i, name in enumerate(names, 1):
        change = "" if name in new else "+7.4" if name == "Kettle Point" else f"{rng.uniform(-2.6, 2.6):+.1f}"
        since = "2023" if name in new else str(rng.choice([1868, 1902, 1911, 1934, 1957, 1971, 1984, 1996, 2005, 2014]))
        height = f"{rng.uniform(2.1, 9.7):.4f}"
        rows.append([str(i), name, rng.choice(kinds), since, height, f"{rng.uniform(0.6, 1.9):.1f}", change])
    stripes = [("BACKGROUND", (0, r), (-1, r), HexColor("#f4f6f9")) for r in range(2, len(rows), 2)]
    w.table(
        rows, [30, 115, 95, 45, 70, 50, 70],
        [*stripes, ("LINEBELOW", (0, 0), (-1, 0), 0.8, BLUE), ("LINEBELOW", (0, -1), (-1, -1), 0.8, BLUE)],
        "Tide stations, their gauges and the heights of their bench marks.", [(1, 1), (6, 6), (12, 1), (29, 1)],
        flow=True, right=(0, 4, 5, 6),
    )  # fmt: skip
    w.heading(2, "Kettle Point")
    w.p(
        "The bench mark of Kettle Point has risen by 7.4 mm since 2016. The rock has not moved: the mark was hit by a "
        "crane in 2019 and set again by a mason who had no level with him. The tide record is being corrected from "
        "that day, which is known from the mason's bill."
    )


def _instruments(w: Writer) -> None:
    w.heading(1, "Instruments")
    w.p(
        "The workshop looked after 212 instruments. Table 4 counts them by state at the end of the year; Table 5 "
        "lists the faults that cost more than a day of readings."
    )
    w.table(
        [
            ["Kind", "In use", "", "In the workshop", "", "Total"],
            ["", "ashore", "afloat", "in repair", "spare", ""],
            ["Float gauges", "17", "0", "3", "6", "26"],
            ["Radar gauges", "14", "0", "1", "4", "19"],
            ["Pressure cells", "22", "48", "9", "31", "110"],
            ["Wave buoys", "0", "11", "2", "3", "16"],
            ["Loggers", "29", "0", "4", "8", "41"],
        ],
        [115, 65, 65, 70, 65, 60],
        [*_grid(), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("SPAN", (0, 0), (0, 1)),
         ("SPAN", (5, 0), (5, 1)), ("BACKGROUND", (0, 1), (-1, 1), PALE)],
        "Instruments by state, 31 December 2023.", [(2, 0), (4, 2), (6, 5)], flow=True, repeatRows=2,
        right=(1, 2, 3, 4, 5),
    )  # fmt: skip
    w.table(
        [
            ["Date", "Station", "Fault", "Cause and cure", "Days lost"],
            ["9 Jan", "Gull Stack", "Well torn off", "Storm. Replaced by a radar gauge on a mast; rebuilt in "
             "July.", "6"],
            ["9 Jan", "Long Mole", "No power", "Sea water in the battery box. The lid now opens to the side.", "3"],
            ["14 Apr", "Salt Pans", "Level too high", "A pair of ducks had nested on the float. Gauge stopped until "
             "the young had left; readings taken from the spare pressure cell, with a correction for density.", "31"],
            ["2 Aug", "six northern stations", "No data line", "Cable cut by a plough at North Farrow. Readings were "
             "kept in the loggers and fetched by hand.", "0"],
            ["21 Nov", "Weir House", "Clock wrong", "Logger restarted with the date of its manufacture.", "2"],
        ],
        [45, 75, 75, 225, 55],
        [("LINEBELOW", (0, 0), (-1, 0), 0.8, BLUE), ("LINEBELOW", (0, 1), (-1, -1), 0.25, HexColor("#b0b8c0"))],
        "Faults that cost readings.", [(1, 1), (3, 4), (5, 2)], flow=True, right=(4,),
    )  # fmt: skip


def _people(w: Writer) -> None:
    w.heading(1, "People and money")
    w.heading(2, "Staff")
    w.p(
        "At the end of the year the Institute had 23 members of staff and 31 keepers, most of them part-time. Asta "
        "Lindqvist, keeper of Great Skerry for forty-four years, gave her last reading on 30 June at high water. "
        "She was never late."
    )
    w.items(
        [
            "New in the workshop: P. Okafor, instrument maker.",
            "New in the data office: L. Marchetti and D. Ionescu.",
            ("Courses held:", ["levelling for keepers (two days, eleven participants);",
                               "first aid in cold water (one day, all field staff)."]),
        ]
    )  # fmt: skip
    w.heading(2, "Accounts")
    w.table(
        [["Income", "k€", "Expense", "k€"], ["State grant", "1,840", "Salaries", "1,395"],
         ["Harbours and pilots", "312", "Keepers' fees", "148"], ["Sale of tide tables", "27", "Instruments", "471"],
         ["Gifts", "4", "Boats and travel", "139"], ["", "", "Surplus", "30"], ["Sum", "2,183", "Sum", "2,183"]],
        [130, 70, 130, 70],
        [("BOX", (0, 0), (-1, -1), 0.8, HexColor("#333333")), ("LINEAFTER", (1, 0), (1, -1), 0.5, HexColor("#333333")),
         ("LINEBELOW", (0, 0), (-1, 0), 0.5, HexColor("#333333")),
         ("LINEABOVE", (0, -1), (-1, -1), 0.5, HexColor("#333333"))],
        "Income and expense.", [(1, 1), (2, 3), (6, 3)], flow=True, right=(1, 3),
    )  # fmt: skip
    w.p(
        "The surplus goes to the fund for the data service. The accounts were audited by the harbour treasurer, who "
        "found a difference of two euros and paid it out of her own pocket."
    )
