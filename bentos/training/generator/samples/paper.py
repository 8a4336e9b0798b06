"""Sample: a paper in one column."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from bentos.training.generator.samples.expect import Expected, Notebook
from bentos.training.generator.samples.figures import chart, well
from bentos.training.generator.samples.formula import Math
from bentos.training.generator.samples.style import Sheet, para
from bentos.training.generator.samples.typeset import Block, Break, Column, Layout, Stack, compose
from bentos.training.generator.samples.writer import Writer

TITLE = "Counting Waves with One Float: An Error Budget for Stilling-Well Tide Gauges"
MARGIN = 82.0


def make(path: Path) -> Expected:
    """Writes the paper and says what must be found in it."""
    sheet = Sheet("Caladea-Regular", "Caladea-Bold", "Caladea-Italic", 10.5, 13.6, indent=14)
    notebook = Notebook(TITLE)

    def furniture(canvas: Canvas, page: int) -> None:
        canvas.setFont("Caladea-Italic", 9)
        if page > 1:
            if page % 2:
                canvas.drawRightString(A4[0] - MARGIN, A4[1] - 48, "Counting waves with one float")
            else:
                canvas.drawString(MARGIN, A4[1] - 48, "I. Torvald, M. Quillon and S. Abebe")
        canvas.setFont("Caladea-Regular", 9)
        canvas.drawCentredString(A4[0] / 2, 42, str(page))

    layout = Layout(A4, lambda page: [Column(MARGIN, 70, A4[0] - 2 * MARGIN, A4[1] - 66)], sheet.note, furniture)
    pages = compose(
        path, lambda known: layout, lambda known: _flow(sheet, notebook), TITLE, "I. Torvald, M. Quillon, S. Abebe"
    )
    return notebook.expected(pages)


def _flow(sheet: Sheet, notebook: Notebook) -> list[Block | Break]:
    w = Writer(sheet, notebook)
    _front(w)
    _theory(w)
    _experiment(w)
    _end(w)
    return w.blocks


def _front(w: Writer) -> None:
    s = w.sheet
    w.add(
        Stack(
            [
                para(TITLE, s.title),
                para("Ingrid Torvald<super>1</super>, Mateus Quillon<super>1,2</super> and Selam Abebe<super>2</super>",
                     s.authors),
                para("<super>1</super> Skerry Institute of Sea-Level Measurement, Port Ansgar", s.affiliation),
                para("<super>2</super> Department of Coastal Engineering, University of Marrow Bay", s.affiliation),
                para("torvald@skerry-institute.example", s.affiliation),
            ],
            0,
            14,
        )
    )  # fmt: skip
    w.add(
        para(
            "<b>Abstract.</b> A float in a stilling well is the oldest automatic tide gauge and still one of the most "
            "common. It is said to be good to one centimetre, but few stations can say where that centimetre comes "
            "from. We write down the seven errors of such a gauge, measure five of them at the Ansgar quay over "
            "fourteen months, and bound the other two. The intake turns out to matter more than the encoder: a pipe "
            "that has lost a third of its bore to mussels adds 6 mm to the error of a single reading and 11 mm to "
            "that of the highest water of a storm. A cleaning interval of ninety days keeps the whole budget below "
            "8 mm.",
            s.abstract,
        )
    )
    w.add(para("<b>Keywords:</b> tide gauge; stilling well; error budget; biofouling; sea level", s.abstract))


def _theory(w: Writer) -> None:
    m = Math(11, "Caladea-Regular", "Caladea-Italic")
    w.heading(1, "Introduction")
    w.p(
        "Sea level is measured wherever ships are moored, and for most of two centuries it has been measured by a "
        "float. The float rides in a vertical tube, the stilling well, that is joined to the sea by a narrow intake. "
        "The intake lets the tide in and keeps the waves out. A wire leads from the float over a wheel, and the turns "
        "of the wheel are written on paper or, since the nineteen-seventies, read by an encoder."
    )
    w.p(
        "Such a station is cheap, it is easily understood, and it fails in ways that a harbour master can see. It is "
        "therefore surprising how seldom its error is stated. The usual figure of one centimetre goes back to a "
        "comparison of three gauges in 1911 [1], long before anyone thought of a trend of three millimetres in a "
        "year. Later work treats one source at a time: the lag of the well [2], the density of the water in it [3], "
        "the stretch of the wire [4]. We are not aware of a budget that holds all of them together."
    )
    w.p(
        "This paper gives such a budget. Section 2 derives the response of the well, Section 3 describes the station "
        "and the reference against which it was compared, Section 4 gives the errors one by one, and Section 5 says "
        "what an operator can do about them.[^1]",
        {"1": "All readings and the scripts that made the tables can be had from the authors on request."},
    )
    w.heading(1, "The response of a stilling well")
    w.heading(2, "A linear intake")
    w.p(
        "Let <i>h</i>(<i>t</i>) be the level of the sea and <i>z</i>(<i>t</i>) that of the water in the well. If the "
        "flow through the intake is slow enough to be laminar, the well fills at a rate in proportion to the "
        "difference of the two levels,"
    )
    w.formula(
        m.row(
            m.frac(m.row(m.num("d"), m.var("z")), m.row(m.num("d"), m.var("t"))), m.op("="),
            m.frac(m.num("1"), m.sym("τ")), m.fence(m.row(m.var("h"), m.op("−"), m.var("z"))), m.num(","),
        ),
        m,
    )  # fmt: skip
    w.p(
        "with a time constant <greek>t</greek> that follows from the diameters of the well, <i>D</i>, and of the "
        "pipe, <i>d</i>, its length <i>L</i> and the viscosity of the water <greek>n</greek>:"
    )
    w.formula(
        m.row(
            m.sym("τ"), m.op("="),
            m.frac(m.row(m.num("8 "), m.sym("ν"), m.var(" L")), m.var("g")),
            m.frac(m.scripts(m.var("D"), sup=m.small.num("2")), m.scripts(m.var("d"), sup=m.small.num("4"))),
            m.num("."),
        ),
        m,
    )  # fmt: skip
    w.p(
        "The fourth power is the whole story of fouling. A pipe that has lost one tenth of its bore fills the well "
        "half as slowly again; one that has lost a third, five times as slowly.",
        phrase="fourth power is the whole story of fouling",
    )
    w.p(
        "A tide of angular frequency <greek>w</greek> and amplitude <i>a</i> appears in the well with its amplitude "
        "reduced and its phase delayed. What is lost at high water is"
    )
    w.formula(
        m.row(
            m.sym("δ"), m.op("="), m.var("a"),
            m.fence(
                m.row(
                    m.num("1"), m.op("−"),
                    m.frac(
                        m.num("1"),
                        m.root(m.row(m.num("1"), m.op("+"),
                                     m.scripts(m.row(m.num("("), m.sym("ωτ"), m.num(")")), sup=m.small.num("2")))),
                    ),
                )
            ),
            m.op("≈"), m.frac(m.num("1"), m.num("2")), m.var(" a"), m.sym(" ω"),
            m.scripts(m.num(""), sup=m.small.num("2")), m.sym("τ"), m.scripts(m.num(""), sup=m.small.num("2")),
            m.num(" ."),
        ),
        m,
    )  # fmt: skip
    w.heading(2, "What waves leave behind")
    w.p(
        "Waves are damped but not averaged away. When the flow is turbulent the intake resists in proportion to the "
        "square of the speed, and a steep crest is not cancelled by the flat trough that follows it. Summed over "
        "<i>N</i> waves of height <i>H<sub>k</sub></i> the set-up of the well is"
    )
    w.formula(
        m.row(
            m.sym("Δ"), m.var("z"), m.op("="), m.frac(m.sym("κ"), m.var("N")),
            m.big("∑", m.small.row(m.small.var("k"), m.small.op("="), m.small.num("1")), m.small.var("N")),
            m.scripts(m.var("H"), m.small.var("k"), m.small.num("2")),
            m.fence(m.row(m.num("1"), m.op("+"),
                          m.frac(m.scripts(m.var("s"), m.small.var("k")), m.scripts(m.var("s"), m.small.num("0"))))),
            m.num(","),
        ),
        m,
    )  # fmt: skip
    w.p(
        "where <i>s<sub>k</sub></i> is the steepness of the wave and <greek>k</greek> depends on the intake alone. "
        "Table 2 shows that this term, negligible on most days, dominates in a gale."
    )


def _experiment(w: Writer) -> None:
    w.heading(1, "The station and its reference")
    w.p(
        "The station stands on the eastern quay of Port Ansgar, in nine metres of water at the lowest tide "
        "(Figure 1). The well is a steel tube of 400 mm bore; the intake is a bronze pipe of 25 mm bore and 0.6 m "
        "length, two metres below the lowest water. The float drives an encoder of 4,096 steps a turn, which is read "
        "once a second and averaged over a minute."
    )
    w.figure(well((330, 150)), "The stilling well at the Ansgar quay, in section. Not to scale.")
    w.p(
        "The reference is a staff of invar beside the well, read through a telescope by two observers at forty slack "
        "waters in each month.[^2] Its zero was levelled to the bench mark in the lighthouse door at the beginning, "
        "in the middle and at the end of the campaign; the three values agree within 0.4 mm. Table 1 lists the "
        "instruments.",
        {"2": "The readings of one month, November, were lost when the notebook fell into the harbour."},
    )
    rule = [("LINEABOVE", (0, 0), (-1, 0), 0.9, "black"), ("LINEBELOW", (0, 0), (-1, 0), 0.5, "black"),
            ("LINEBELOW", (0, -1), (-1, -1), 0.9, "black")]  # fmt: skip
    w.table(
        [
            ["Instrument", "Maker and type", "Resolution", "Interval"],
            ["Float and encoder", "Petrel 400", "0.5 mm", "1 s"],
            ["Invar staff", "Skerry workshop", "1 mm", "slack water"],
            ["Thermometer chain", "Dunnock T8", "0.02 K", "10 min"],
            ["Conductivity cell", "Dunnock C2", "0.01 S/m", "10 min"],
            ["Wave buoy", "Gannet 0.7", "10 mm", "0.5 s"],
        ],
        [110, 120, 80, 80], rule, "Instruments used in the comparison.", [(0, 1), (1, 2), (4, 1)],
    )  # fmt: skip
    w.heading(1, "Seven errors")
    w.p("The errors of a single one-minute reading fall into three groups:")
    w.items(
        [
            "errors of the <i>well</i>: lag, wave set-up, and the difference of density inside and outside;",
            "errors of the <i>float</i>: a change of draught, and the weight of wire on either side of the wheel;",
            "errors of the <i>record</i>: the step of the encoder, and the clock.",
        ],
        ("a)",),
    )
    w.p(
        "The lag was measured by closing the intake with a plug, lowering the level by 300 mm with a pump, and "
        "pulling the plug. Figure 2 shows three such tests. The first, with a clean pipe, gives "
        "<greek>t</greek> = 41 s; after ninety days the time constant is 63 s and after two hundred days 208 s. "
        "Equation 2 turns these into bores of 25.0, 22.5 and 16.7 mm, which the diver's calliper confirmed within "
        "half a millimetre."
    )
    w.figure(
        chart(
            (350, 170),
            [
                ("clean pipe", [(t, 300 * math.exp(-t / 41)) for t in range(0, 301, 5)]),
                ("90 days", [(t, 300 * math.exp(-t / 63)) for t in range(0, 301, 5)]),
                ("200 days", [(t, 300 * math.exp(-t / 208)) for t in range(0, 301, 5)]),
            ],
            ("time since the plug was pulled (s)", "difference of level (mm)"),
            (0, 300, 0, 300),
            ([0, 60, 120, 180, 240, 300], [0, 100, 200, 300]),
        ),
        "Recovery of the well after the plug is pulled, with a clean pipe and after 90 and 200 days in the sea.",
    )
    w.p(
        "The density error needs a chain of thermometers. In summer the water in the well is up to four degrees "
        "warmer than the sea, so that a taller column balances the same pressure; the difference reached 3.1 mm in "
        "July and was below 0.5 mm from October to April. The draught of the float changes by 0.2 mm for each "
        "kilogram per cubic metre of density, and by as much for the slime that it collects in a season."
    )
    w.p(
        "The remaining terms are small. The wire weighs 1.3 g a metre, so that over a spring range of 4.2 m the "
        "balance of the wheel moves by 0.3 mm of draught. The clock, set by radio, is never more than 0.2 s wrong, "
        "which at the fastest rise of the tide is 0.04 mm. Table 2 collects the budget for a quiet day, for a gale, "
        "and for a gale with a fouled pipe.[^3]",
        {"3": "The gale is that of 9 January, with a significant wave height of 2.8 m at the buoy."},
    )
    rows: list[list[Any]] = [
        ["Source", "Quiet day", "Gale", "Gale, fouled"],
        ["Lag of the well", "0.3", "0.9", "6.2"],
        ["Wave set-up", "0.2", "5.8", "8.4"],
        ["Density", "1.4", "1.4", "1.6"],
        ["Draught of the float", "0.4", "0.4", "1.1"],
        ["Weight of the wire", "0.3", "0.3", "0.3"],
        ["Encoder step", "0.3", "0.3", "0.3"],
        ["Clock", "0.0", "0.0", "0.0"],
        ["Root of the sum of squares", "1.6", "6.1", "10.7"],
    ]
    w.table(
        rows, [150, 75, 75, 85], [*rule, ("LINEABOVE", (0, -1), (-1, -1), 0.5, "black")],
        "Error of a one-minute reading, in millimetres.", [(0, 2), (1, 3), (2, 2), (8, 3)], right=(1, 2, 3),
    )  # fmt: skip


def _end(w: Writer) -> None:
    w.heading(1, "What an operator can do")
    w.heading(2, "Clean the intake")
    w.p(
        "Nothing else in Table 2 is worth as much as a brush. At Ansgar the bore shrinks by about 0.03 mm a day "
        "between April and September and hardly at all in winter. A diver's visit every ninety days in summer keeps "
        "<greek>t</greek> below 65 s. Where divers are dear, a second intake with a valve lets the pipe be changed "
        "from the quay."
    )
    w.heading(2, "Write the time constant down")
    w.p(
        "The plug test takes a quarter of an hour and needs a pump, a rubber plug and a watch. Done at each visit it "
        "turns the largest unknown of the station into a number that can be used to correct the record afterwards. "
        "We suggest that the time constant be published with the data, as the datum is."
    )
    w.heading(2, "Do not trust a single high water")
    w.p(
        "Extreme levels are read from single peaks, at the very hour when set-up and lag are at their worst. The two "
        "errors have opposite signs, and in a clean well they nearly cancel; in a fouled one they do not. Of the "
        "eleven highest waters in the harbour's list since 1950, seven were taken in autumn, before the yearly "
        "cleaning, and may be wrong by a centimetre or more."
    )
    w.heading(1, "Conclusion")
    w.p(
        "A float gauge in good order reads the sea to 2 mm on a quiet day and to 6 mm in a gale. Most of what is "
        "lost beyond that is lost in the last half metre of pipe. The budget given here can be filled in for any "
        "stilling well with a plug test, a thermometer and a week of wave records."
    )
    w.heading(1, "Acknowledgements", numbered=False)
    w.p(
        "We thank the harbour office of Port Ansgar for the use of the quay, and the divers R. Holm and J. Castellan "
        "for forty-one visits to a cold pipe."
    )
    w.heading(1, "References", numbered=False)
    w.references(
        [
            "A. Brandvold. On the agreement of three self-registering gauges. <i>Annals of the Ansgar Observatory</i>, "
            "4:112–131, 1911.",
            "L. Petrossian and K. Weil. The lag of stilling wells. <i>Journal of Harbour Science</i>, 22(3):201–219, "
            "1968.",
            "M. Quillon. Warm water in narrow tubes: a bias of float gauges. <i>Tidal Letters</i>, 9:44–52, 2009.",
            "H. Ferreira-Lund. Wire, wheel and weight. In <i>Proceedings of the Second Workshop on Coastal "
            "Instruments</i>, pages 17–26. Marrow Bay, 1984.",
            "S. Abebe and I. Torvald. Mussels as a measuring problem. <i>Coastal Engineering Notes</i>, 31:5–18, 2021.",
            "Skerry Institute. <i>Rules for the Care of Tide Stations</i>, sixth edition. Port Ansgar, 2019.",
            "T. Okonedo. Set-up in damped wells under irregular waves. Doctoral thesis, University of Marrow Bay, "
            "2016.",
        ]
    )
