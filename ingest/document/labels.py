"""The labels of a cell and the classes of a layout map: the vocabulary that data, models and output share."""

from __future__ import annotations

from enum import StrEnum


class Label(StrEnum):
    """What a text cell is; the 17 labels of the paper on recurrent networks (Figure 3). Order fixes their numbers."""

    TITLE = "title"
    AUTHOR = "author"
    AFFILIATION = "affiliation"
    ABSTRACT = "abstract"
    KEYWORD = "keyword"
    SUBTITLE_1 = "subtitle-level-1"
    SUBTITLE_2 = "subtitle-level-2"
    TEXT = "text"
    LIST_ITEM = "list-item"
    LIST_IDENTIFIER = "list-identifier"
    FORMULA = "formula"
    TABLE = "table"
    PICTURE = "picture"
    CAPTION = "caption"
    CITATION = "citation"
    FOOTNOTE = "footnote"
    NONE = "none"
    """Furniture: running heads, page numbers, line numbers, contents lists, watermarks."""


LABELS: tuple[Label, ...] = tuple(Label)
LABEL_INDEX: dict[Label, int] = {label: i for i, label in enumerate(LABELS)}

SURE_BULLETS = frozenset("•◦‣▪■●▸►➢")
"""What opens nothing but a list item, whatever a model says and however little white follows."""


class Region(StrEnum):
    """What a point of a page belongs to, as the layout network sees it. Order fixes the channels of a map."""

    BACKGROUND = "background"
    TEXT = "text"
    HEADING = "heading"
    LIST = "list"
    TABLE = "table"
    PICTURE = "picture"
    FORMULA = "formula"
    CAPTION = "caption"
    FURNITURE = "furniture"


REGIONS: tuple[Region, ...] = tuple(Region)
REGION_INDEX: dict[Region, int] = {region: i for i, region in enumerate(REGIONS)}
