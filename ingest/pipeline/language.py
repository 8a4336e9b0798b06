"""The language of a text: by its script, and where scripts are shared, by a few of each language's commonest words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

ENOUGH_CHARACTERS = 20_000
"""What is read of a long document."""
MIN_LETTERS = 40
MIN_SHARE = 0.06
"""Share of the words that must be common words of the language; running text reaches 0.2 to 0.4."""
LEAD = 1.25
"""How many times more hits the best language needs than the second."""

_SCRIPTS = {
    "kana": "\u3040-\u30ff",
    "han": "\u3400-\u4dbf\u4e00-\u9fff",
    "hangul": "\uac00-\ud7a3\u1100-\u11ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc",
    "hebrew": "\u0590-\u05ff",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "cyrillic": "\u0400-\u04ff",
    "thai": "\u0e00-\u0e7f",
    "devanagari": "\u0900-\u097f",
    "latin": "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
}
_PATTERNS = {script: re.compile(f"[{ranges}]") for script, ranges in _SCRIPTS.items()}
_SOLE = {"hangul": "ko", "hebrew": "he", "greek": "el", "thai": "th", "devanagari": "hi"}

_WORDS = {
    "en": "the of and to in is that for with as are this be by on from we which can it not have an or at was were",
    "fr": "le la les des et du une est que dans pour par sur qui nous au aux ce cette sont avec pas plus être il ou",
    "de": "der die und das den von mit ist im für auf des dem eine ein werden sich auch nicht als zu wird bei durch",
    "es": "el la los las de que y en un una es por con para se del al como más lo su este esta son sobre pero",
    "it": "il la di che e per un una in del della dei con non sono si da nel alla le gli questo come più anche è",
    "pt": "o a os as de que e do da em um uma para com não por no na dos das se mais como ao pelo são também",
    "nl": "de het een en van is dat in op te voor met zijn niet aan door worden ook als bij er naar om deze",
    "sv": "och att det som en på är av för med den till inte om ett har de kan vi från eller sig",
    "da": "og at det som en på er af for med den til ikke om et har de kan vi fra eller sig blev",
    "no": "og at det som en på er av for med den til ikke om et har de kan vi fra eller seg ble",
    "fi": "ja on ei että se oli ovat mutta myös kun tai joka sekä hän voi olla kuin niin ole tämä",
    "pl": "i w na z do nie się jest że o jak to dla od przez po oraz są przy ich tym może który",
    "cs": "a v na je se z že do pro jako jsou by ale od při byl které také nebo pak podle jeho tak",
    "hu": "a az és hogy nem egy is ez volt meg csak van ha mint de már vagy el kell még",
    "ro": "și de la în a cu pe nu că este din care pentru o sunt un mai prin ca sau fi lui",
    "tr": "ve bir bu için ile olarak de da olan en daha gibi çok ne kadar sonra olduğu her ise",
    "vi": "và của là các có được trong cho một những với không này người đã khi từ để theo về",
    "id": "yang dan di ini dengan untuk pada dari dalam tidak itu adalah akan atau oleh ke sebagai dapat",
    "ru": "и в не на что с по как это для из к от его но при или также они мы был если того",
    "uk": "і в на що не з та до це як для за від є про або його які також при ми був",
    "bg": "и на да от за се не с по е като са в при това които или може чрез",
    "ar": "في من على إلى أن هذا هذه التي التي كان عن ما أو مع لا كل بين قد",
    "fa": "و در به از که این را با است برای آن یک می شود های خود تا بر هم",
    "ur": "کے کی میں اور ہے سے کا کو اس پر ہیں نے یہ تھا ایک",
}
_COMMON = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_OF_SCRIPT = {
    "cyrillic": ("ru", "uk", "bg"),
    "arabic": ("ar", "fa", "ur"),
    "latin": tuple(language for language in _WORDS if language not in ("ru", "uk", "bg", "ar", "fa", "ur")),
}
_WORD = re.compile(r"[^\W\d_]+")


def guess_language(texts: Iterable[str]) -> str:
    """BCP 47 primary subtag of the language that most of the texts are in; empty if unsure."""
    sample: list[str] = []
    size = 0
    for text in texts:
        sample.append(text)
        size += len(text)
        if size > ENOUGH_CHARACTERS:
            break
    text = "\n".join(sample)
    count = Counter(text)
    letters = {script: sum(n for c, n in count.items() if pattern.match(c)) for script, pattern in _PATTERNS.items()}
    # a Chinese or Japanese character says as much as several letters
    weight = {s: n * (3 if s in ("kana", "han", "hangul") else 1) for s, n in letters.items()}
    script = max(weight, key=lambda s: weight[s])
    if sum(weight.values()) < MIN_LETTERS:
        return ""
    if script in ("kana", "han"):
        return "ja" if letters["kana"] > 0.1 * (letters["han"] + letters["kana"]) else "zh"
    if script in _SOLE:
        return _SOLE[script]
    words = Counter(word.lower() for word in _WORD.findall(text))
    hits = {language: sum(words[word] for word in _COMMON[language]) for language in _OF_SCRIPT[script]}
    best, second = sorted(hits, key=lambda language: -hits[language])[:2]
    if hits[best] < max(MIN_SHARE * words.total(), 3) or hits[best] < LEAD * hits[second]:
        return ""
    return best
