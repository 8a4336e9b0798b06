"""Single cells that a model labelled otherwise than the line that they stand in."""

from __future__ import annotations

from ingest.pipeline.assemble import kinds
from ingest.pipeline.assemble.view import View

NO_LINE = 3.0
"""Gap, in font sizes, over which cells side by side are no longer one line of running text."""
LINE_NUMBER_GAP = 1.2
"""Gap that parts a line's number from the line."""


def harmonise(view: View, row: list[int]) -> None:
    """Correct labels of single cells that contradict the line they stand in."""
    labels = view.labels
    if len({labels[i] for i in row}) == 1:
        if labels[row[0]] == kinds.IDENTIFIER and len(row) > 1:
            for i in row[1:]:
                labels[i] = kinds.LIST_ITEM
        return
    _number_formula(view, row)
    start = 0
    for k in range(1, len(row) + 1):
        if k == len(row) or view.x0[row[k]] - view.x1[row[k - 1]] > NO_LINE * view.sizes[row[k]]:
            if k - start > 1:
                _harmonise_run(view, row[start:k])
            start = k
    first, rest = row[0], row[1:]
    if labels[first] == kinds.IDENTIFIER and rest:
        follower = labels[rest[0]]
        if follower in (kinds.TEXT, kinds.LIST_ITEM):
            for i in rest:
                if labels[i] == kinds.TEXT:
                    labels[i] = kinds.LIST_ITEM
        elif follower != kinds.CITATION:
            labels[first] = follower


def _number_formula(view: View, row: list[int]) -> None:
    """The number of a formula, at the end of its line, belongs to it."""
    last = row[-1]
    text = view.texts[last]
    if (
        view.labels[last] not in (kinds.FORMULA, kinds.PICTURE)
        and 3 <= len(text) <= 10
        and text[:1] in ("(", "[")
        and text[-1:] in (")", "]")
        and sum(len(view.texts[i]) for i in row if view.labels[i] == kinds.FORMULA) * 2
        > sum(len(view.texts[i]) for i in row[:-1])
    ):
        view.labels[last] = kinds.FORMULA


def _harmonise_run(view: View, run: list[int]) -> None:
    """One label for cells without wide gaps between them, but for what may well open a line."""
    labels, weight = view.labels, dict[int, float]()
    for i in run:
        weight[labels[i]] = weight.get(labels[i], 0.0) + len(view.texts[i]) * (0.25 + view.scores[i])
    body = run[1:] if labels[run[0]] == kinds.IDENTIFIER else run
    known = {label: w for label, w in weight.items() if label in kinds.WORDS}
    if not body or not known:
        return
    main = max(known, key=lambda label: known[label])
    if weight.get(kinds.FORMULA, 0.0) > 1.5 * known[main]:
        main = kinds.FORMULA  # words within a display: "if", "where", "for all"
    total = sum(weight.values())
    for k, i in enumerate(body):
        label = labels[i]
        if label == main:
            continue
        run_in = k == 0 and label in kinds.HEADINGS and view.styles[i] != view.styles[body[-1]]
        line_number = (
            label == kinds.NONE
            and k == 0
            and view.texts[i].isdigit()
            and view.x0[body[1]] - view.x1[i] > (LINE_NUMBER_GAP * view.sizes[i])
        )
        both_prose = label in kinds.PROSE and main in kinds.PROSE
        if run_in or line_number or (label in kinds.WORDS and not both_prose and weight[label] > 0.4 * total):
            continue
        labels[i] = main
