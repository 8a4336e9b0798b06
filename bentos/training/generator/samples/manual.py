"""Sample: the manual of a device, with contents, nested lists, warnings and code listings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from bentos.training.generator.samples.contents import Leader, Listing
from bentos.training.generator.samples.expect import Expected, Notebook
from bentos.training.generator.samples.figures import blocks
from bentos.training.generator.samples.style import Sheet, para
from bentos.training.generator.samples.typeset import Block, Break, Column, Layout, Numbers, Stack, compose
from bentos.training.generator.samples.writer import Writer

TITLE = "Fennel 3 Field Logger"
SIZE = (504.0, 684.0)
ORANGE = HexColor("#b5541c")
LEFT, RIGHT = 70.0, 54.0
WIDTH = SIZE[0] - LEFT - RIGHT

CHAPTERS = [
    ("Before you start", ["What is in the box", "Safety", "The parts of the logger"]),
    ("Installing the logger", ["Choosing a place", "Mounting", "Connecting sensors"]),
    ("First readings", ["Switching on", "Setting up a schedule", "Reading the display"]),
    ("The command line", ["Connecting a computer", "Commands", "Configuration file", "Fetching data from a program"]),
    ("Care and repair", ["Every month", "Every year", "When something is wrong"]),
    ("Technical data", []),
]


def make(path: Path) -> Expected:
    """Writes the manual and says what must be found in it."""
    sheet = Sheet("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", 9.6, 13)
    for style in (sheet.text, sheet.first):
        style.alignment = TA_LEFT
    sheet.h1.fontSize, sheet.h1.leading, sheet.h1.textColor = 17, 22, ORANGE
    sheet.h2.fontSize, sheet.h2.leading = 11.5, 15
    notebook = Notebook(f"{TITLE}: Operating Manual")

    def furniture(canvas: Canvas, page: int) -> None:
        if page == 1:
            return
        canvas.setFont("Helvetica", 7.5)
        canvas.setFillGray(0.35)
        outer = page % 2 == 1
        (canvas.drawRightString if outer else canvas.drawString)(
            SIZE[0] - RIGHT if outer else LEFT, SIZE[1] - 34, f"{TITLE} – Operating Manual"
        )
        (canvas.drawRightString if outer else canvas.drawString)(SIZE[0] - RIGHT if outer else LEFT, 28, str(page))
        canvas.setFillGray(0)

    layout = Layout(SIZE, lambda page: [Column(LEFT, 50, WIDTH, SIZE[1] - 54)], sheet.note, furniture)
    pages = compose(
        path, lambda known: layout, lambda known: _flow(sheet, notebook, known), notebook.title, "Dunnock Works"
    )
    return notebook.expected(pages)


class _Manual(Writer):
    """Marks its headings for the table of contents."""

    def __init__(self, sheet: Sheet, notebook: Notebook, known: Numbers) -> None:
        super().__init__(sheet, notebook)
        self.known = known

    def section(self, level: int, text: str) -> None:
        def note(page: int) -> None:
            self.known.note(text, page)

        self.heading(level, text, note)

    def warning(self, word: str, text: str, color: str = "#fbeee6") -> None:
        style = ParagraphStyle("warning", parent=self.sheet.first, spaceAfter=0)
        box = Table(
            [[para(f"<b>{word}</b>  {text}", style)]],
            colWidths=[WIDTH],
            style=[
                ("BACKGROUND", (0, 0), (-1, -1), HexColor(color)),
                ("LEFTPADDING", (0, 0), (-1, -1), 9),
                ("LINEBEFORE", (0, 0), (0, -1), 3, ORANGE),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 6),
            ],
        )
        box.spaceBefore, box.spaceAfter = 4, 9
        self.add(box)

    def code(self, text: str) -> None:
        self.add(Listing(text))


def _flow(sheet: Sheet, notebook: Notebook, known: Numbers) -> list[Block | Break]:
    w = _Manual(sheet, notebook, known)
    _front(w)
    _start(w)
    _install(w)
    _readings(w)
    _commands(w)
    _care(w)
    _data(w)
    return w.blocks


def _front(w: _Manual) -> None:
    big = ParagraphStyle("big", parent=w.sheet.title, alignment=TA_LEFT, fontSize=30, leading=36, textColor=ORANGE)
    sub = ParagraphStyle("sub", parent=w.sheet.first, fontSize=15, leading=20, spaceAfter=150)
    small = ParagraphStyle("small", parent=w.sheet.first, fontSize=8.5, leading=11)
    drawing = blocks(
        (320, 150),
        [(90, 20, 140, 100, "FENNEL 3"), (110, 34, 44, 18, "MENU"), (166, 34, 44, 18, "OK"),
         (20, 84, 46, 20, "sensor A"), (20, 36, 46, 20, "sensor B"), (262, 60, 46, 20, "battery")],
        [(66, 94, 90, 94), (66, 46, 90, 46), (262, 70, 230, 70)],
    )  # fmt: skip
    w.add(Stack([para(TITLE, big), para("Operating Manual", sub), drawing], 90, 60))
    w.add(para("Edition 3.2, for firmware 3.2 and later<br/>Dunnock Works, Quay Street 4, Port Ansgar", small))
    w.break_page()
    w.heading(1, "Contents", numbered=False)
    for i, (chapter, sections) in enumerate(CHAPTERS, 1):
        w.add(Leader(f"{i}  {chapter}", str(w.known.get(chapter)), "Helvetica-Bold", 9.6, 0, 7))
        for j, section in enumerate(sections, 1):
            w.add(Leader(f"{i}.{j}  {section}", str(w.known.get(section)), "Helvetica", 9.6, 16, 1))
    w.break_page()


def _start(w: _Manual) -> None:
    w.section(1, "Before you start")
    w.p(
        "The Fennel 3 is a logger for two sensors. It wakes at set times, takes a reading, writes it to its memory and "
        "goes back to sleep. It is made to be forgotten on a rock for a year, and this manual is written for the two "
        "days on which you will need it: the day on which you put it there, and the day on which something is wrong."
    )
    w.section(2, "What is in the box")
    w.items(
        [
            "Fennel 3 logger, with its battery (not connected)",
            "mounting plate and four stainless screws, M5 × 40",
            ("cables:", ["one sensor cable, 2 m, with a five-pin plug", "one computer cable, USB to four-pin plug"]),
            "two spare seals, in a paper bag inside the lid",
            "this manual",
        ]
    )
    w.section(2, "Safety")
    w.warning(
        "Warning.",
        "The lithium battery must not be charged, opened, thrown into a fire or into the sea. Water inside the battery "
        "box makes gas: if the lid resists, step aside and open it slowly.",
    )
    w.p("Observe the usual rules of work by the water:")
    w.items(
        [
            "Never go alone. Tell somebody where you are and when you will be back.",
            "Wear a life jacket on quays, in boats and on rocks below the tide line.",
            "Do not connect or disconnect sensors while it rains, unless you work under a cover.",
        ],
        ("1.",),
    )
    w.section(2, "The parts of the logger")
    w.p("Figure 1 shows how the parts work together. The names on the left are those printed on the board.")
    w.figure(
        blocks(
            (370, 120),
            [(0, 72, 80, 30, "J1  sensor A"), (0, 20, 80, 30, "J2  sensor B"), (125, 46, 90, 36, "U3  converter|24 "
                                                                                                 "bits"),
             (255, 72, 100, 30, "U1  processor"), (255, 20, 100, 30, "U5  memory|64 MB")],
            [(80, 87, 125, 70), (80, 35, 125, 58), (215, 68, 255, 84), (305, 72, 305, 50)],
            [(226, 92, "readings"), (312, 58, "blocks of 512 bytes")],
        ),
        "The way of a reading from the sensor to the memory.",
    )  # fmt: skip


def _install(w: _Manual) -> None:
    w.section(1, "Installing the logger")
    w.section(2, "Choosing a place")
    w.p("A good place has five properties. If you cannot have all of them, give them up from the bottom of the list:")
    w.items(
        [
            "dry at the highest tide, spray allowed;",
            "in the shade, for the clock depends on the temperature;",
            "less than two metres from the sensor;",
            "within reach without a ladder;",
            "out of sight of people with screwdrivers.",
        ],
        ("a)",),
    )
    w.section(2, "Mounting")
    w.items(
        [
            ("Fix the mounting plate.", ["On concrete: drill four holes of 8 mm, 50 mm deep, and use plugs.",
                                         "On wood: screw it on directly.",
                                         ("On rock:", ["clean the rock with a wire brush;",
                                                       "set two bolts of 10 mm with resin;",
                                                       "wait for a full day before you hang anything on them."])]),
            "Hook the logger over the upper edge of the plate and press until it clicks.",
            ("Connect the battery.", ["Open the battery box with a coin.", "Plug in the white connector, key upwards.",
                                      "Grease the seal, close the box, and turn the coin until it stops."]),
            "Write the date and your name on the label inside the lid.",
        ],
        ("1.", "a)", "i."),
    )  # fmt: skip
    w.warning("Note.", "Do not use silicone grease of a kind that smells of vinegar. It eats the seals.", "#eef3f6")
    w.section(2, "Connecting sensors")
    w.p("Each input takes any of four kinds of sensor. Table 1 shows the pins. Pin 1 is marked with a dot.")
    w.table(
        [["Sensor", "Pin 1", "Pin 2", "Pin 3", "Pin 4", "Pin 5"],
         ["Voltage, 0–5 V", "+12 V", "ground", "signal", "–", "–"],
         ["Current, 4–20 mA", "+12 V", "–", "signal", "–", "–"], ["Resistance", "–", "ground", "sense", "drive", "–"],
         ["Pulses", "+12 V", "ground", "–", "–", "pulse"]],
        [110, 52, 52, 52, 52, 52], [("GRID", (0, 0), (-1, -1), 0.4, HexColor("#888888")),
         ("BACKGROUND", (0, 0), (-1, 0), HexColor("#eeeeee"))],
        "Pins of the sensor plugs.", [(1, 3), (3, 4), (4, 5)], flow=True,
    )  # fmt: skip


def _readings(w: _Manual) -> None:
    w.section(1, "First readings")
    w.section(2, "Switching on")
    w.p(
        "Hold MENU for three seconds. The display shows the version of the firmware, then the voltage of the battery, "
        "then the time. A new battery shows 3.6 V. The logger has no off switch: without a schedule it sleeps, and "
        "sleeping it can wait for nine years.",
        phrase="without a schedule it sleeps",
    )
    w.section(2, "Setting up a schedule")
    w.p("A schedule says when to read which input. You can store up to eight.")
    w.items(
        [
            "Press MENU until the display shows SCHED.",
            ("Choose a slot from 1 to 8 with MENU, then press OK.", ["An empty slot shows two dashes.",
                                                                    "A slot in use shows its interval."]),
            "Choose the interval: 1 s, 10 s, 1 min, 10 min, 1 h, or TIDE.",
            "Choose the input: A, B, or both.",
            "Press OK twice. The display shows DONE and the time of the first reading.",
        ],
        ("1.", "–"),
    )  # fmt: skip
    w.p(
        "The interval TIDE reads every ten minutes, and every minute for half an hour around high and low water. The "
        "logger finds these by itself after it has seen three of each."
    )
    w.section(2, "Reading the display")
    w.table(
        [["Display", "Meaning", "What to do"], ["SLEEP", "no schedule is active", "set one up"],
         ["A ----", "input A is open", "check plug and cable"],
         ["FULL", "the memory is full", "fetch the data; the oldest readings are kept"],
         ["LOW", "battery below 3.1 V", "replace it within four weeks"],
         ["E17", "the clock was lost", "set the clock; readings since then carry the mark U"]],
        [70, 130, 170], [("LINEBELOW", (0, 0), (-1, 0), 0.8, ORANGE),
         ("LINEBELOW", (0, 1), (-1, -1), 0.25, HexColor("#999999"))],
        "What the display says.", [(1, 1), (3, 0), (5, 1)], flow=True,
    )  # fmt: skip
    w.break_page()


def _commands(w: _Manual) -> None:
    w.section(1, "The command line")
    w.section(2, "Connecting a computer")
    w.p(
        "Connect the computer cable and open a terminal at 115,200 baud, eight bits, no parity, one stop bit. Press "
        "the "
        "return key twice. The logger answers with its name and a prompt:"
    )
    w.code("Fennel 3, serial 30417, firmware 3.2.1\nmemory 12 % used, battery 3.58 V\nfennel>")
    w.section(2, "Commands")
    w.p("Words in capitals stand for values of your own. A command is carried out when the return key is pressed.")
    for term, text in (
        ("read A|B", "takes one reading now and prints it; it is not stored."),
        ("sched N INTERVAL INPUT", "sets slot N. Intervals are written 1s, 10s, 1m, 10m, 1h or tide."),
        ("sched N off", "empties slot N."),
        ("dump [FROM [TO]]", "prints the stored readings, one a line, as comma-separated values."),
        ("clock [TIME]", "prints the clock, or sets it; TIME is written 2024-05-17T08:30:00Z."),
        ("erase all", "forgets all readings. Asks twice."),
    ):
        style = ParagraphStyle("term", parent=w.sheet.first, leftIndent=24, firstLineIndent=-24, spaceAfter=3)
        w.add(para(f'<font face="Courier-Bold" size="8.8">{term}</font> – {text}', style))
    w.section(2, "Configuration file")
    w.p("All settings can be read and written at once as a text file, with the commands <b>save</b> and <b>load</b>:")
    w.code(
        """
# fennel.conf - settings of logger 30417
name      = "Gull Stack, lower mast"
clock     = radio          # radio, crystal or none
[input.A]
kind      = current        # 4-20 mA
scale     = 0.625          # metres per milliampere
offset    = -2.500
[input.B]
kind      = resistance
curve     = pt1000
[schedule.1]
interval  = tide
inputs    = A, B
"""
    )
    w.section(2, "Fetching data from a program")
    w.p(
        "The following program fetches what is new since the last time. It keeps the time of the newest reading in a "
        "file, so that it may be stopped and started at will."
    )
    w.code(
        """
import pathlib
import serial

STATE = pathlib.Path("last-reading.txt")

def fetch(port):
    since = STATE.read_text().strip() if STATE.exists() else ""
    with serial.Serial(port, 115_200, timeout=5) as line:
        line.write(f"dump {since}\\r".encode())
        for raw in line:
            text = raw.decode("ascii").strip()
            if text == "fennel>":
                break
            time, channel, value = text.split(",")
            yield time, channel, float(value)
            STATE.write_text(time)

for time, channel, value in fetch("/dev/ttyUSB0"):
    print(time, channel, value)
"""
    )
    w.warning(
        "Note.", "A dump does not erase anything. Fetch twice, compare, and only then think of erasing.", "#eef3f6"
    )
    w.break_page()


def _care(w: _Manual) -> None:
    w.section(1, "Care and repair")
    w.section(2, "Every month")
    w.items(["Look at the display.", "Wipe salt from the lid with fresh water.", "Compare one reading with a second "
                                                                                "instrument."],
           ("•",))  # fmt: skip
    w.section(2, "Every year")
    w.items(
        [
            "Fetch the data.",
            ("Open the box and inspect it:", ["seals: no cracks, no flat spots;", "board: no green, no white;",
                                             "plugs: pins straight and bright."]),
            "Replace the battery if it shows less than 3.4 V.",
            "Replace the desiccant. It is blue when dry and pink when not.",
            "Set the clock.",
        ],
        ("1.", "•"),
    )  # fmt: skip
    w.section(2, "When something is wrong")
    w.p("Go through the list from the top. Each step takes less time than the next.")
    w.items(
        [
            ("The display is dark.", ["Hold MENU for ten seconds.", "Measure the battery: below 2.8 V the logger "
                                                                    "does not wake.",
                                      "Disconnect the battery for one minute."]),
            ("The display shows A ---- or B ----.", ["Exchange the two sensors. If the dashes move, it is the sensor.",
                                                     "If they stay, it is the input: use the other one and tell us."]),
            ("The readings jump.", ["Look for a loose plug.", ("Look for water in the cable:",
                                    ["cut off the last ten centimetres;", "if the copper is dark, cut off more."])]),
        ],
        ("a.", "1.", "–"),
    )  # fmt: skip
    w.p(
        "If none of this helps, send the logger to the works, with a note that says what you saw. Readings survive a "
        "year without a battery."
    )
    w.break_page()


def _data(w: _Manual) -> None:
    w.section(1, "Technical data")
    rows: list[list[Any]] = [
        ["Inputs", "two, 24 bits, 0–5 V, 4–20 mA, resistance or pulses"],
        ["Error of a reading", "0.01 % of full scale, from –20 to +50 °C"],
        ["Memory", "64 MB, about four million readings"],
        ["Clock", "±2 ppm with radio, ±20 ppm with crystal"],
        ["Battery", "lithium, 3.6 V, 19 Ah; nine years asleep, three years at one reading a minute"],
        ["Housing", "polycarbonate, tight to 1 m of water for 24 hours (IP67)"],
        ["Size and weight", "182 × 120 × 64 mm, 740 g with battery"],
        ["Marks", "CE; RoHS; made in Port Ansgar"],
    ]
    w.table(rows, [120, 250], [], "Data of the Fennel 3.", [(0, 0), (2, 1), (6, 1)], flow=True, repeatRows=0)
    w.p(
        "The maker reserves the right to improve the logger without asking. Firmware and this manual can be had from "
        "https://dunnock-works.example/fennel."
    )
