"""Sample: one notice in Japanese, Chinese, Russian and Hebrew."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph

from bentos.training.generator.samples.expect import Expected, Notebook
from bentos.training.generator.samples.style import Sheet, table
from bentos.training.generator.samples.typeset import Block, Break, Column, Layout, compose
from bentos.training.generator.samples.writer import Writer

TITLE = "海面の高さを測る"
LEFT = 72.0
WIDTH = A4[0] - 2 * LEFT

JAPANESE = {
    "": [
        "スケリー海面研究所は、港町アンスガルにある小さな研究所です。一八六八年から、毎日二回、海の高さを測ってきました。"
        "この冊子は、見学に来られた方のために、日本語、中国語、ロシア語、ヘブライ語で書かれています。",
    ],
    "潮位とは": [
        "海面は一日に二回、上がったり下がったりします。これは月と太陽の引力によるもので、潮汐と呼ばれます。"
        "ある時刻の海面の高さを潮位といいます。潮位は、岸壁に刻まれた基準点から測ります。",
        "波は数秒ごとに水面を動かしますが、潮位は数時間かけてゆっくり変わります。そこで、細い穴のあいた筒を海に立て、"
        "筒の中の水面を測ります。穴が小さいので、波は中に入りません。",
    ],
    "見学の順序": [
        "入口で名前を書いてください。",
        "古い検潮儀の前で、係員の説明を聞いてください。",
        "満潮の時刻には、ご自分で目盛りを読むことができます。記録帳に数字と名前を残してください。",
    ],
}

CHINESE = {
    "参观须知": [
        "斯凯里海平面研究所位于安斯加尔港东码头。自一八六八年以来，这里的观测员每天两次记录潮位，从未间断。"
        "参观免费，开放时间为每周二至周六，上午十点至下午四点。",
        "请不要触摸仪器。验潮井很深，儿童必须有成人陪同。遇到大风天气，码头关闭，参观取消。",
    ],
    "为什么测量海平面": [
        "海平面正在缓慢上升。在过去的一百二十年里，本港的平均海平面上升了十八厘米。要知道这样小的变化，"
        "必须用同一个基准点测量很多年。一年的数据说明天气，一百年的数据说明气候。",
    ],
}  # fmt: skip

RUSSIAN = {
    "Как устроен мареограф": [
        "Мареограф записывает высоту моря. В вертикальной трубе, соединённой с морем узким отверстием, плавает медный "
        "поплавок. От поплавка через колесо идёт проволока к перу, которое чертит кривую на бумаге. Барабан с бумагой "
        "делает один оборот за сутки.",
        "Отверстие пропускает прилив, но задерживает волны. Если оно зарастает ракушками, кривая запаздывает, и самая "
        "высокая вода бури остаётся незамеченной. Поэтому каждые девяносто дней водолаз чистит трубу.",
    ],
    "Что делает смотритель": [
        "Дважды в день, при полной и при малой воде, смотритель читает рейку на стене, записывает число и сравнивает "
        "его "
        "с показанием пера. Разность называется поправкой. Машина, которую сравнивают с рейкой, заслуживает доверия.",
    ],
}

HEBREW = {
    "מידע למבקרים": [
        "המכון למדידת גובה פני הים נמצא בקצה הרציף המזרחי של נמל אנסגר. מאז שנת 1868 נמדד כאן גובה המים פעמיים ביום, "
        "בשעת גאות ובשעת שפל. הכניסה חופשית, והסיור נמשך שעה אחת.",
        "נא לא לגעת במכשירים. בימי סערה הרציף סגור. בשעת הגאות אפשר לקרוא את הסרגל שעל הקיר ולכתוב את המספר ביומן.",
    ],
}

TIDES: list[list[Any]] = [
    ["", "満潮", "干潮", "潮差"],
    ["大潮", "3.10 m", "0.40 m", "2.70 m"],
    ["小潮", "2.35 m", "0.95 m", "1.40 m"],
    ["平均", "2.72 m", "0.68 m", "2.04 m"],
]


def characters() -> str:
    """Everything that the CJK fonts must hold."""
    text = TITLE + "".join(k + "".join(v) for part in (JAPANESE, CHINESE) for k, v in part.items())
    text += "".join(cell for row in TIDES for cell in row) + "表一日本語中文" + "".join(map(chr, range(0x20, 0x7F)))
    return "".join(sorted(set(text)))


_Run = tuple[str, bool]
"""Characters drawn from left to right, and whether they are Hebrew."""


class RightToLeft(Flowable):  # type: ignore[misc]
    """A Hebrew paragraph: lines broken here, letters drawn in visual order up to the right margin."""

    def __init__(self, text: str, face: str, size: float, leading: float, after: float) -> None:
        super().__init__()
        self.words, self.size, self.leading, self.spaceAfter = text.split(), size, leading, after
        self.fonts = {True: f"NotoSansHebrew-{face}", False: f"NotoSans-{face}"}
        self.lines: list[str] = []

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width, self.lines = width, []
        for word in self.words:
            longer = f"{self.lines[-1]} {word}" if self.lines else word
            if self.lines and self._length(_visual(longer)) <= width:
                self.lines[-1] = longer
            else:
                self.lines.append(word)
        return width, len(self.lines) * self.leading

    def _length(self, runs: list[_Run]) -> float:
        return float(sum(stringWidth(text, self.fonts[hebrew], self.size) for text, hebrew in runs))

    def draw(self) -> None:
        canvas: Any = self.canv
        canvas.setFillGray(0)
        for i, line in enumerate(self.lines):
            runs = _visual(line)
            x = self.width - self._length(runs)
            y = (len(self.lines) - 1 - i) * self.leading + 0.3 * self.size
            for text, hebrew in runs:
                canvas.setFont(self.fonts[hebrew], self.size)
                canvas.drawString(x, y, text)
                x += stringWidth(text, self.fonts[hebrew], self.size)


def _visual(line: str) -> list[_Run]:
    """A line of Hebrew as runs from left to right: letters and signs reversed, numbers as they are."""
    runs = [m[0] for m in re.finditer(r"[\u0590-\u05ff]+(?: [\u0590-\u05ff]+)*|\d+|[^\u0590-\u05ff\d]+", line)]
    return [(r if r[0].isdigit() else r[::-1], "\u0590" <= r[0] <= "\u05ff") for r in reversed(runs)]


def make(path: Path) -> Expected:
    """Writes the leaflet and says what must be found in it."""
    sheet = Sheet("NotoSansCJK-Regular", "NotoSansCJK-Bold", "NotoSansCJK-Regular", 10.5, 17)
    notebook = Notebook(TITLE, "ja")

    def furniture(canvas: Canvas, page: int) -> None:
        canvas.setFont("NotoSans-Regular", 8)
        canvas.drawCentredString(A4[0] / 2, 40, f"– {page} –")
        canvas.drawRightString(A4[0] - LEFT, A4[1] - 42, "Skerry Institute of Sea-Level Measurement")

    layout = Layout(A4, lambda page: [Column(LEFT, 64, WIDTH, A4[1] - 64)], sheet.note, furniture)
    pages = compose(path, lambda known: layout, lambda known: _flow(sheet, notebook), TITLE, "Skerry Institute")
    return notebook.expected(pages)


def _flow(sheet: Sheet, notebook: Notebook) -> list[Block | Break]:
    w = Writer(sheet, notebook, numbered=False)
    east: dict[str, Any] = {"alignment": TA_LEFT, "wordWrap": "CJK", "spaceAfter": 6}
    text = ParagraphStyle("east", parent=sheet.first, **east)
    head = ParagraphStyle("east-head", parent=sheet.h1, wordWrap="CJK", fontSize=13, leading=19)
    w.add(Paragraph(TITLE, ParagraphStyle("east-title", parent=sheet.title, wordWrap="CJK", fontSize=20, leading=30)))

    item = ParagraphStyle("east-item", parent=text, leftIndent=22, bulletIndent=4, spaceAfter=3)

    def section(title: str, paragraphs: list[str]) -> None:
        if title:
            w.add(Paragraph(title, head), keep_next=True, mark=notebook.heading(title, 1), outline=(0, title))
        for i, p in enumerate(paragraphs, 1):
            found = notebook.phrase("細い穴のあいた筒") if "細い穴" in p else None
            steps = title == "見学の順序"
            w.add(Paragraph(p, item if steps else text, bulletText=f"{i}." if steps else None), mark=found)

    for title, paragraphs in JAPANESE.items():
        section(title, paragraphs)
    w.add(Paragraph("表一　潮位", ParagraphStyle("caption", parent=sheet.caption, fontSize=9.5)), keep_next=True)
    tides = table(TIDES, sheet, [80, 80, 80, 80], [("GRID", (0, 0), (-1, -1), 0.4, "black")], right=(1, 2, 3))
    w.add(tides, mark=notebook.table("表一　潮位", TIDES, [(1, 1), (3, 3)]))
    w.break_page()
    for title, paragraphs in CHINESE.items():
        section(title, paragraphs)
    west = Sheet("NotoSans-Regular", "NotoSans-Bold", "NotoSans-Regular", 10, 14.5)
    west_head = ParagraphStyle("west-head", parent=west.h1, fontSize=13, leading=18)
    for title, paragraphs in RUSSIAN.items():
        w.add(Paragraph(title, west_head), keep_next=True, mark=notebook.heading(title, 1), outline=(0, title))
        for p in paragraphs:
            w.add(Paragraph(p, west.first))
    for title, paragraphs in HEBREW.items():
        line = RightToLeft(title, "Bold", 13, 18, 6)
        line.spaceBefore = 16
        w.add(line, keep_next=True, mark=notebook.heading(title, 1), outline=(0, title))
        for p in paragraphs:
            w.add(RightToLeft(p, "Regular", 10.5, 15.5, 6))
    return w.blocks
