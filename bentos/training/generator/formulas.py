"""Random formulas as trees, written as MathML, LaTeX or a line of text."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

_GREEK = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\epsilon", "λ": r"\lambda", "μ": r"\mu",
    "σ": r"\sigma", "θ": r"\theta", "φ": r"\phi", "ω": r"\omega", "Δ": r"\Delta", "Ω": r"\Omega", "Σ": r"\Sigma",
}  # fmt: skip
_OPERATORS = {
    "+": "+", "−": "-", "=": "=", "≤": r"\leq", "≥": r"\geq", "≈": r"\approx", "∈": r"\in", "·": r"\cdot",
    "×": r"\times", "→": r"\to", "∼": r"\sim", "⊂": r"\subset", ",": ",", "∝": r"\propto", "≡": r"\equiv",
}  # fmt: skip
_BIG = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "⋃": r"\bigcup"}
_LINE_END = r" \\ "
_FUNCTIONS = ["log", "exp", "sin", "cos", "max", "min", "det"]


@dataclass(slots=True)
class Node:
    """A node: `kind` is sym, num, op, row, frac, sup, sub, sqrt, big, fence, fun, matrix, cases or lines."""

    kind: str
    text: str = ""
    parts: list[Node] = field(default_factory=list)


def symbol(rng: random.Random) -> Node:
    return Node(
        "sym", rng.choice("abcdfghkmnpqrstuvwxyzABCEFGHKLMNPQRSTVXYZ") if rng.random() < 0.7 else rng.choice([*_GREEK])
    )


def term(rng: random.Random, depth: int) -> Node:
    """A factor of a product."""
    kind = rng.random()
    if depth <= 0 or kind < 0.30:
        return symbol(rng) if rng.random() < 0.8 else Node("num", str(rng.randint(0, 20)))
    if kind < 0.48:
        return Node(
            "sub", parts=[symbol(rng), symbol(rng) if rng.random() < 0.7 else Node("num", str(rng.randint(0, 9)))]
        )
    if kind < 0.62:
        return Node(
            "sup", parts=[term(rng, 0), Node("num", str(rng.randint(2, 4))) if rng.random() < 0.6 else symbol(rng)]
        )
    if kind < 0.75:
        return Node("frac", parts=[expression(rng, depth - 1), expression(rng, depth - 1)])
    if kind < 0.80:
        return Node("sqrt", parts=[expression(rng, depth - 1)])
    if kind < 0.88:
        limits = [Node("row", parts=[symbol(rng), Node("op", "="), Node("num", "1")]), symbol(rng)]
        return Node("row", parts=[Node("big", rng.choice([*_BIG]), limits), term(rng, depth - 1)])
    if kind < 0.94:
        return Node("fence", "()", [expression(rng, depth - 1)])
    return Node("row", parts=[Node("fun", rng.choice(_FUNCTIONS)), Node("fence", "()", [expression(rng, depth - 1)])])


def expression(rng: random.Random, depth: int) -> Node:
    """A sum of products."""
    parts = [term(rng, depth)]
    for _ in range(rng.choices((0, 1, 2, 3), (3, 4, 2, 1))[0]):
        parts += [Node("op", rng.choice("+−·+")), term(rng, depth)]
    return Node("row", parts=parts)


def inline(rng: random.Random) -> Node:
    """What stands within a line of text."""
    if rng.random() < 0.5:
        return term(rng, 0) if rng.random() < 0.5 else Node("sub", parts=[symbol(rng), symbol(rng)])
    return Node(
        "row",
        parts=[symbol(rng), Node("op", rng.choice("=≤≥≈∈∼")), term(rng, 1) if rng.random() < 0.3 else symbol(rng)],
    )


def display(rng: random.Random) -> Node:
    """A formula on lines of its own."""
    kind = rng.random()
    if kind < 0.5:
        return _equation(rng, rng.choice((1, 1, 2)))
    if kind < 0.62:
        condition = Node("row", parts=[symbol(rng), Node("op", rng.choice("=∈≤≥")), term(rng, 0)])
        return Node("row", parts=[_equation(rng, 1), Node("op", ","), Node("space"), condition])
    if kind < 0.84:
        return Node("lines", parts=[_equation(rng, rng.choice((0, 1, 1))) for _ in range(rng.randint(2, 6))])
    left = [symbol(rng), Node("op", "=")]
    if kind < 0.92:
        n = rng.randint(2, 5)
        cells = [term(rng, 0) for _ in range(n * n)]
        return Node("row", parts=[*left, Node("fence", "[]", [Node("matrix", str(n), cells)])])
    cases = [expression(rng, 0) for _ in range(2 * rng.randint(2, 3))]
    return Node("row", parts=[*left, Node("cases", parts=cases)])


def _equation(rng: random.Random, depth: int) -> Node:
    """A row of exactly three parts: left side, relation, right side."""
    left = term(rng, 0) if rng.random() < 0.5 else Node("row", parts=[symbol(rng), Node("fence", "()", [symbol(rng)])])
    return Node("row", parts=[left, Node("op", rng.choice("====≤≈≥∼≡∝")), expression(rng, depth)])


def mathml(node: Node, block: bool = False) -> str:
    """A `<math>` element."""
    display_ = ' display="block"' if block else ""
    return f"<math{display_}>{_mathml(node)}</math>"


def _mathml(node: Node) -> str:
    inner = [_mathml(p) for p in node.parts]
    match node.kind:
        case "sym" | "fun":
            return f"<mi>{node.text}</mi>"
        case "num":
            return f"<mn>{node.text}</mn>"
        case "op":
            return f"<mo>{escape(node.text)}</mo>"
        case "space":
            return '<mspace width="2em"/>'
        case "row":
            return f"<mrow>{''.join(inner)}</mrow>"
        case "frac":
            return f"<mfrac>{''.join(inner)}</mfrac>"
        case "sup":
            return f"<msup>{''.join(inner)}</msup>"
        case "sub":
            return f"<msub>{''.join(inner)}</msub>"
        case "sqrt":
            return f"<msqrt>{''.join(inner)}</msqrt>"
        case "big":
            return f"<munderover><mo>{node.text}</mo>{''.join(inner)}</munderover>"
        case "fence":
            return f"<mrow><mo>{node.text[0]}</mo>{''.join(inner)}<mo>{node.text[1]}</mo></mrow>"
        case "matrix":
            return _rows(inner, int(node.text))
        case "cases":
            return f"<mrow><mo>{{</mo>{_rows(inner, 2)}</mrow>"
        case _:
            rows = "".join(
                f"<mtr>{''.join(f'<mtd>{_mathml(p)}</mtd>' for p in line.parts)}</mtr>" for line in node.parts
            )
            return f"<mtable>{rows}</mtable>"


def _rows(cells: list[str], width: int) -> str:
    rows = [cells[i : i + width] for i in range(0, len(cells), width)]
    return f"<mtable>{''.join('<mtr>' + ''.join(f'<mtd>{c}</mtd>' for c in r) + '</mtr>' for r in rows)}</mtable>"


def latex(node: Node) -> str:
    """LaTeX source without delimiters; `lines` gives rows of three columns."""
    inner = [latex(p) for p in node.parts]
    match node.kind:
        case "sym":
            return _GREEK.get(node.text, node.text) + " "
        case "fun":
            return rf"\{node.text} "
        case "num":
            return node.text
        case "op":
            return _OPERATORS[node.text] + " "
        case "space":
            return r"\qquad "
        case "row":
            return "".join(inner)
        case "frac":
            return rf"\frac{{{inner[0]}}}{{{inner[1]}}}"
        case "sup":
            return f"{{{inner[0]}}}^{{{inner[1]}}}"
        case "sub":
            return f"{{{inner[0]}}}_{{{inner[1]}}}"
        case "sqrt":
            return rf"\sqrt{{{inner[0]}}}"
        case "big":
            return rf"{_BIG[node.text]}_{{{inner[0]}}}^{{{inner[1]}}} "
        case "fence":
            return rf"\left{node.text[0]}{inner[0]}\right{node.text[1]}"
        case "matrix":
            n = int(node.text)
            rows = [" & ".join(inner[i : i + n]) for i in range(0, len(inner), n)]
            return rf"\begin{{array}}{{{'c' * n}}}{_LINE_END.join(rows)}\end{{array}}"
        case "cases":
            rows = [" & ".join(inner[i : i + 2]) for i in range(0, len(inner), 2)]
            return rf"\left\{{\begin{{array}}{{ll}}{_LINE_END.join(rows)}\end{{array}}\right."
        case _:
            return _LINE_END.join(" & ".join(latex(p) for p in line.parts) for line in node.parts)


def linear(node: Node) -> str:
    """A formula in one line of text, as it is typed where there is no formula editor."""
    inner = [linear(p) for p in node.parts]
    match node.kind:
        case "sym" | "num" | "fun":
            return node.text
        case "space":
            return "      "
        case "op":
            return f" {node.text} " if node.text != "," else ", "
        case "frac":
            return f"({inner[0]}) / ({inner[1]})"
        case "sup":
            return f"{inner[0]}^{inner[1]}"
        case "sub":
            return f"{inner[0]}_{inner[1]}"
        case "sqrt":
            return f"√({inner[0]})"
        case "big":
            return f"{node.text} "
        case "fence":
            return f"{node.text[0]}{inner[0]}{node.text[1]}"
        case "matrix" | "cases":
            return "; ".join(inner)
        case "lines":
            return "   ".join(inner[:1])
        case _:
            return "".join(inner)
