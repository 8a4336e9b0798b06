"""Sample: a paper in two columns."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas

from bentos.training.generator.samples.expect import Expected, Notebook
from bentos.training.generator.samples.figures import bars, blocks, chart
from bentos.training.generator.samples.formula import Math
from bentos.training.generator.samples.style import Sheet, para, table
from bentos.training.generator.samples.typeset import Block, Break, Column, Layout, Stack, compose
from bentos.training.generator.samples.writer import Writer

TITLE = "Loose Clocks: Ordering Events in a Network of Cheap Sensors"
LEFT, GUTTER, WIDTH = 50.0, 20.0, 246.0
RULES = [("LINEABOVE", (0, 0), (-1, 0), 0.8, "black"), ("LINEBELOW", (0, 0), (-1, 0), 0.4, "black"),
         ("LINEBELOW", (0, -1), (-1, -1), 0.8, "black")]  # fmt: skip


def make(path: Path) -> Expected:
    """Writes the paper and says what must be found in it."""
    sheet = Sheet("Times-Roman", "Times-Bold", "Times-Italic", 9.6, 11.4, indent=10)
    sheet.h1.alignment = TA_CENTER
    sheet.h1.fontSize = 10
    sheet.h2.fontName, sheet.h2.fontSize = "Times-Italic", 10
    notebook = Notebook(TITLE)

    def furniture(canvas: Canvas, page: int) -> None:
        canvas.setFont("Times-Roman", 8)
        canvas.drawString(LEFT, LETTER[1] - 36, "MARROW BAY WORKSHOP ON FIELD NETWORKS, VOL. 6, NO. 2")
        canvas.drawRightString(LETTER[0] - LEFT, LETTER[1] - 36, str(page + 40))
        canvas.setLineWidth(0.4)
        canvas.line(LEFT, LETTER[1] - 40, LETTER[0] - LEFT, LETTER[1] - 40)

    def columns(page: int) -> list[Column]:
        return [Column(LEFT + k * (WIDTH + GUTTER), 54, WIDTH, LETTER[1] - 56) for k in (0, 1)]

    layout = Layout(LETTER, columns, sheet.note, furniture)
    pages = compose(path, lambda known: layout, lambda known: _flow(sheet, notebook), TITLE, "N. Achterberg et al.")
    return notebook.expected(pages)


def _flow(sheet: Sheet, notebook: Notebook) -> list[Block | Break]:
    w = Writer(sheet, notebook)
    _front(w)
    _body(w)
    _evaluation(w)
    _end(w)
    return w.blocks


def _front(w: Writer) -> None:
    s = w.sheet
    who = ParagraphStyle("who", parent=s.text, alignment=TA_CENTER, firstLineIndent=0, fontSize=10, leading=12.5)
    title = ParagraphStyle("title", parent=s.title, fontName="Times-Roman", fontSize=20, leading=24, spaceAfter=12)
    people = table(
        [[
            para("Nils Achterberg<br/><i>Skerry Institute of<br/>Sea-Level Measurement</i><br/>Port Ansgar<br/>"
                 "nils@skerry-institute.example", who),
            para("Oluwaseun Bright<br/><i>Laboratory for Small Machines<br/>University of Marrow Bay</i><br/>"
                 "Marrow Bay<br/>bright@marrowbay.example", who),
            para("Carla Vesterholt<br/><i>Laboratory for Small Machines<br/>University of Marrow Bay</i><br/>"
                 "Marrow Bay<br/>cv@marrowbay.example", who),
        ]],
        s, [170, 170, 170], [], repeatRows=0,
    )  # fmt: skip
    front = Stack([para(TITLE, title), people], 0, 14)
    w.add(front, wide=True)
    bold = ParagraphStyle("abstract", parent=s.text, fontName="Times-Bold", fontSize=8.8, leading=10.4,
                          alignment=TA_JUSTIFY, spaceAfter=4)  # fmt: skip
    w.add(
        para(
            "<i>Abstract</i>—A sensor that costs less than its battery cannot afford a good clock. We ask how bad the "
            "clocks of a network may be if all that matters is the order of what was seen, not the time. We describe "
            "Knot, a protocol in which every message carries the sender's last three neighbours and a bound of its "
            "drift, from which a base station recovers a partial order after the fact. On 118 nodes along a "
            "breakwater, Knot orders 99.2 per cent of all pairs of events rightly with crystals of 100 parts per "
            "million, and says of the others that it does not know. It adds eleven bytes to a message and no message "
            "of its own.",
            bold,
        )
    )
    w.add(para("<i>Index Terms</i>—clock drift, event ordering, partial orders, sensor networks, tide gauges.", bold))


def _body(w: Writer) -> None:
    m = Math(9.6)
    w.heading(1, "INTRODUCTION")
    w.p(
        "When a wave runs along a breakwater it passes one pressure sensor after another. The interesting quantity is "
        "the order: which of two sensors saw the crest first, and whether a third saw it between them. Absolute time "
        "is a convenience. Yet nearly all field networks begin by giving every node the time of day [1], [2], and "
        "pay for it with radio messages, which are what empties a battery."
    )
    w.p(
        "This paper goes the other way. Our nodes have clocks that nobody sets. They differ by minutes, they drift "
        "with the temperature, and now and then one starts again from zero. What a node can do is to remember whom "
        "it heard. If a message from node <i>b</i> names a message of node <i>a</i>, then whatever <i>a</i> saw "
        "before sending came before whatever <i>b</i> saw after hearing. That is Lamport's old observation [3]; what "
        "is new is that we put numbers on the gaps, and that we do it in eleven bytes."
    )
    w.p("Our contributions are:")
    w.items(
        [
            "a message format that carries enough to order events afterwards, and nothing else;",
            "an algorithm that turns a day of such messages into intervals, in time linear in their number;",
            "a deployment of 118 nodes over nine months, with a cable as ground truth.",
        ],
        ("1)",),
    )
    w.heading(1, "CLOCKS AND KNOTS")
    w.heading(2, "A Model of a Bad Clock")
    w.p(
        "The clock of node <i>i</i> shows <i>C<sub>i</sub></i>(<i>t</i>) at true time <i>t</i>. We assume only that "
        "its rate is bounded,"
    )
    w.formula(
        m.row(
            m.num("1"), m.op("−"), m.scripts(m.sym("ρ"), m.small.var("i")), m.op("≤"),
            m.frac(m.row(m.num("d"), m.scripts(m.var("C"), m.small.var("i"))), m.row(m.num("d"), m.var("t"))),
            m.op("≤"), m.num("1"), m.op("+"), m.scripts(m.sym("ρ"), m.small.var("i")), m.num(","),
        ),
        m,
    )  # fmt: skip
    w.p(
        "between two restarts, and that a restart is noticed: a node counts its lives in four bits.[^1] The bound "
        "<greek>r</greek><sub><i>i</i></sub> is printed on the crystal. Nothing is assumed about offsets.",
        {"1": "A node that restarts more than sixteen times between two messages is beyond the help of this paper."},
    )
    w.heading(2, "What a Message Carries")
    w.p(
        "Each message holds the sender's reading, and for the last three neighbours that it heard the age of that "
        "hearing and the number of the message heard (Fig. 1). We call such a reference a <i>knot</i>. Ages are "
        "rounded up to a power of two of milliseconds, so that they fit into five bits; rounding up keeps every "
        "conclusion safe."
    )
    w.figure(
        blocks(
            (240, 92),
            [
                (0, 40, 34, 26, "node"), (34, 40, 26, 26, "life"), (60, 40, 38, 26, "number"),
                (98, 40, 46, 26, "knot 1"), (144, 40, 46, 26, "knot 2"), (190, 40, 46, 26, "knot 3"),
                (60, 2, 40, 18, "sender"), (100, 2, 46, 18, "number"), (146, 2, 34, 18, "age"),
            ],
            [(98, 40, 60, 21), (144, 40, 180, 21)],
            [(8, 71, "12 bits"), (38, 71, "4 bits"), (64, 71, "12 bits"), (104, 71, "20 bits each, three times")],
            "Times-Roman",
        ),
        "Layout of a message. The lower row shows one knot.",
    )  # fmt: skip
    w.figure(
        blocks(
            (500, 92),
            [
                (0, 30, 80, 34, "pressure cell|8 Hz"), (105, 30, 80, 34, "event detector|threshold 12 hPa"),
                (210, 30, 80, 34, "message|31 bytes"), (315, 30, 80, 34, "base station|knot graph"),
                (420, 30, 80, 34, "partial order|with intervals"),
            ],
            [(80, 47, 104, 47), (185, 47, 209, 47), (290, 47, 314, 47), (395, 47, 419, 47)],
            [(112, 14, "at the node"), (322, 14, "once a night"), (215, 74, "radio, 10 mW")],
            "Times-Roman",
        ),
        "From pressure to order. Everything left of the base station runs on the node and uses 41 microwatts on "
        "average.",
        wide=True,
    )  # fmt: skip
    w.heading(2, "From Knots to Intervals")
    w.p(
        "Let a message <i>q</i> of node <i>b</i> hold a knot to message <i>p</i> of node <i>a</i> with age "
        "<greek>a</greek>. For an event <i>x</i> at <i>a</i>, seen <i>u</i> before <i>p</i> was sent, and an event "
        "<i>y</i> at <i>b</i>, seen <i>v</i> before <i>q</i> was sent, the true gap lies in"
    )
    w.formula(
        m.row(
            m.scripts(m.var("t"), m.small.var("y")), m.op("−"), m.scripts(m.var("t"), m.small.var("x")), m.op("∈"),
            m.fence(
                m.row(
                    m.frac(m.sym("α"), m.row(m.num("1"), m.op("+"), m.scripts(m.sym("ρ"), m.small.var("b")))),
                    m.op("−"), m.var("v"), m.op("+"), m.var("u"), m.op("±"), m.sym("ε"),
                ),
                "[", "]",
            ),
            m.num(","),
        ),
        m,
    )  # fmt: skip
    w.p(
        "where <greek>e</greek> collects the drift over <i>u</i> and <i>v</i>. Chains of knots add up, and the "
        "tightest of all chains is a shortest path. Writing <i>G</i> for the graph whose nodes are messages, the "
        "width of what is known about a pair is"
    )
    w.formula(
        m.row(
            m.var("W"), m.num("("), m.var("x"), m.num(", "), m.var("y"), m.num(")"), m.op("="),
            m.big("Σ", m.small.row(m.small.var("e"), m.small.op("∈"), m.small.var("P"))),
            m.num("2"), m.scripts(m.sym("ρ"), m.small.var("e")), m.scripts(m.sym("α"), m.small.var("e")),
            m.op("+"), m.scripts(m.num("2"), sup=m.small.row(m.small.op("−"), m.small.num("5"))),
            m.scripts(m.sym("α"), m.small.var("e")), m.num(" ,"),
        ),
        m,
    )  # fmt: skip
    w.p(
        "with <i>P</i> the path found. If zero lies outside the interval, the order is known; otherwise Knot says "
        "that it is not. It never guesses.",
        phrase="It never guesses",
    )


def _evaluation(w: Writer) -> None:
    w.heading(1, "THE BREAKWATER")
    w.p(
        "The northern breakwater of Port Ansgar is 1.9 km long. We bolted 118 nodes to it, sixteen metres apart, each "
        "with a pressure cell, a radio of 10 mW and a crystal of 100 parts per million. A cable left over from an "
        "earlier project gave every node a pulse once a second, which the node recorded and never used; the pulses "
        "are our ground truth. Fig. 2 shows the way of a message from a node to the order of events."
    )
    w.p(
        "We compare Knot with three others: a flooding protocol that sets all clocks once an hour (<i>Flood</i>), the "
        "same once a day (<i>Flood-24</i>), and plain Lamport counters without ages (<i>Counter</i>). All ran on the "
        "same nodes in turn, a week each, in four rounds."
    )
    w.heading(1, "RESULTS")
    w.heading(2, "Order")
    w.p(
        "Table 1 gives the share of pairs of events, at most ten seconds apart, that each protocol puts into the right "
        "order, into the wrong order, or leaves open. Knot is wrong about one pair in 40,000. Looking at these we "
        "found a single cause: a crystal that had been glued in a place where the sun reached it at four in the "
        "afternoon, and ran at 131 parts per million."
    )
    w.table(
        [
            ["Protocol", "Right", "Wrong", "Open", "Messages per node and day", "Energy (J/day)", "Recovery after "
                                                                                                  "restart"],
            ["Knot", "99.2 %", "0.0025 %", "0.8 %", "288", "3.5", "at the next message"],
            ["Flood", "99.6 %", "0.4 %", "0 %", "312", "5.9", "within one hour"],
            ["Flood-24", "91.3 %", "8.7 %", "0 %", "289", "3.7", "within one day"],
            ["Counter", "62.0 %", "0 %", "38.0 %", "288", "3.4", "at the next message"],
        ],
        [70, 55, 60, 50, 90, 70, 105], [*RULES, ("VALIGN", (0, 0), (-1, 0), "BOTTOM")],
        "Pairs of events at most ten seconds apart, and what their order costs.", [(0, 5), (1, 1), (3, 2), (4, 6)],
        wide=True,
    )  # fmt: skip
    w.p(
        "Flood orders more pairs rightly, for it answers always. What it gets wrong is not marked as such, and the "
        "users of our data said that they would rather have the gaps."
    )
    w.heading(2, "Width of the Intervals")
    w.p(
        "The width grows with the age of the knots, hence with the silence of the neighbourhood. Fig. 3 shows the "
        "median over a calm and over a stormy day. In the storm nodes speak more often, and the intervals are "
        "narrowest when they are needed."
    )
    w.figure(
        chart(
            (240, 150),
            [
                ("calm day", [(h, 62 + 30 * ((h - 12) / 12) ** 2 + (9 if 15 <= h <= 18 else 0)) for h in range(25)]),
                ("stormy day", [(h, 34 - 16 * (1 if 8 <= h <= 17 else 0.35)) for h in range(25)]),
            ],
            ("hour of the day", "median width (ms)"),
            (0, 24, 0, 140),
            ([0, 6, 12, 18, 24], [0, 40, 80, 120]),
            "Times-Roman",
        ),
        "Median width of the interval between events of neighbouring nodes.",
    )
    w.heading(2, "Energy")
    w.p(
        "Fig. 4 splits the energy of a node. The knots themselves cost 0.13 J a day, the radio listens for three "
        "milliseconds after each message and costs 1.9 J. A pair of AA cells lasts for six years on paper; after "
        "nine months the cells had lost 11 per cent."
    )
    w.figure(
        bars((240, 120), ["cell", "detector", "send", "listen", "knots"], [0.31, 0.22, 0.94, 1.9, 0.13], "J/day", 2.0,
             "Times-Roman"),
        "Energy of a node by part.",
    )  # fmt: skip
    w.table(
        [["Bound (ppm)", "Right (%)", "Open (%)"], ["20", "99.8", "0.2"], ["50", "99.6", "0.4"],
         ["100", "99.2", "0.8"], ["250", "97.1", "2.9"], ["1,000", "83.4", "16.6"]],
        [75, 65, 65], RULES, "Quality of the crystals.", [(1, 0), (4, 1), (5, 2)], right=(0, 1, 2),
    )  # fmt: skip


def _end(w: Writer) -> None:
    w.heading(2, "How Bad May a Clock Be?")
    w.p(
        "We repeated the computation with larger bounds than those printed on the crystals (Table 2). With a bound of "
        "1,000 parts per million, as of a resistor and a capacitor, five pairs in six are still ordered. A node "
        "without a crystal would be cheaper by a tenth and could be potted whole."
    )
    w.heading(1, "RELATED WORK")
    w.p(
        "Setting the clocks of a network has a long history, from tree protocols [1] to flooding [2], [4]; all need "
        "messages of their own or a gateway that is always on. Logical clocks [3] and their vector forms [5] need no "
        "time but grow with the number of nodes, or leave most pairs open. Closest to ours are the post-facto "
        "methods of [6], which reconstruct time from a mobile reference; we need no reference."
    )
    w.p(
        "Interval orders have been used to reason about stored logs [7]. We differ in that our intervals come from "
        "differences, so that their errors do not add up over a node's whole life."
    )
    w.heading(1, "LIMITATIONS")
    w.p(
        "A node that hears nobody ties no knots. On a breakwater everyone has neighbours; on a buoy this is not so. "
        "The bound of the drift must be true, and as the sunny crystal shows, a printed bound is a promise and no "
        "proof. Finally, we order events at most some minutes apart. Over days the intervals become wider than the "
        "tide."
    )
    w.heading(1, "CONCLUSION")
    w.p(
        "Order is cheaper than time. With eleven bytes in messages that were sent anyway, clocks that nobody sets are "
        "enough to say which sensor saw a wave first, and to say so only when it is certain."
    )
    w.heading(1, "ACKNOWLEDGMENT", numbered=False)
    w.p(
        "The authors thank the pilots of Port Ansgar, who carried 118 nodes along a wet breakwater and brought 118 "
        "back."
    )
    w.heading(1, "REFERENCES", numbered=False)
    w.references(
        [
            "P. Harrowgate and D. Lim, “Trees that tell the time,” in <i>Proc. Workshop on Field Networks</i>, Marrow "
            "Bay, 2006, pp. 12–23.",
            "A. Mendonça, “Flooding a clock,” <i>Trans. Small Systems</i>, vol. 3, no. 1, pp. 55–71, 2011.",
            "L. Lamport, “Time, clocks, and the ordering of events in a distributed system,” <i>Commun. ACM</i>, vol. "
            "21, no. 7, pp. 558–565, 1978.",
            "J. Sorensen, B. Adeyemi, and K. Raut, “One pulse is enough,” <i>Trans. Small Systems</i>, vol. 8, no. 4, "
            "pp. 301–318, 2016.",
            "F. Tilney, “Vectors of counters, revisited,” Univ. Marrow Bay, Tech. Rep. 14, 1999.",
            "R. Castellan, “After the fact: time from a passing boat,” in <i>Proc. Coastal Computing</i>, 2018, pp. "
            "88–97.",
            "M. Yilmaz and C. Vesterholt, “Reading old logs with interval orders,” <i>J. Archives and Machines</i>, "
            "vol. 2, pp. 140–166, 2020.",
        ]
    )
