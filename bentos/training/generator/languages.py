"""What `words` needs to know of each language: function words, stems, endings, structural vocabulary, scripts."""

# ruff: noqa: E501, SIM905  (lists of words)

from __future__ import annotations

from dataclasses import dataclass, field

KEYS = (
    "abstract keywords introduction methods results discussion conclusion references acknowledgements appendix contents "
    "figure table chapter section part note warning example page department institute university theorem proof"
).split()
"""Order of the words in `_labels`."""


@dataclass(frozen=True, slots=True)
class Language:
    """Material for `bentos.training.generator.words.Writer`."""

    function: list[str]
    stems: list[str]
    endings: list[str]
    labels: dict[str, str]
    lengths: tuple[int, int, int, int] = (4, 5, 2, 0)
    """Weights of words of one, two, three and four stems."""
    cased: bool = True
    spaceless: bool = False
    comma: str = ","
    stop: str = "."
    right_to_left: bool = False
    script: str = "latin"
    names: list[str] = field(default_factory=list)


def _labels(text: str) -> dict[str, str]:
    return {k: v for k, v in zip(KEYS, text.split("|"), strict=False) if v}


def _latin(function: str, stems: str, endings: str, labels: str, **more: object) -> Language:
    return Language(function.split(), stems.split(), endings.split(), _labels(labels), **more)  # type: ignore[arg-type]


_ROMANCE = "con tra ver mon par cel dis ter mul gra den por lus mar tor fin sal ven pro cor lam est ori nal per"

LANGUAGES: dict[str, Language] = {
    "en": _latin(
        "the of and to in a is that for it as was with be by on not this are or from at which but have an had they has "
        "we can these if its more than when into such only other new may our between where both each under while",
        "con form tract struct act mod port met sen pro vid flu lat grad vect net light ground field work stand point side "
        "mark cur rec dis sys per est ord sub trans mon ton val ser kern hand stone bridge water",
        "s ed ing er tion al ic ive ment ity ly able ness ous ance",
        "Abstract|Keywords|Introduction|Methods|Results|Discussion|Conclusion|References|Acknowledgements|Appendix|Contents|"
        "Figure|Table|Chapter|Section|Part|Note|Warning|Example|Page|Department of|Institute of|University of|Theorem|Proof",
        lengths=(6, 4, 1, 0),
    ),
    "de": _latin(
        "der die das und in zu den von mit ist des im für auf ein nicht sich dem als auch es an werden aus er hat dass sie "
        "nach wird bei einer um am sind noch wie einem über einen so zum war nur oder aber vor zur bis mehr durch",
        "werk stell grund mess kraft raum zeit ver bund land trag form wasser leit schluss ober netz lauf recht spiel "
        "halt stand fall band licht wert zahl bau",
        "ung heit keit en er es ig lich isch end ten",
        "Zusammenfassung|Schlüsselwörter|Einleitung|Methoden|Ergebnisse|Diskussion|Fazit|Literatur|Danksagung|Anhang|"
        "Inhaltsverzeichnis|Abbildung|Tabelle|Kapitel|Abschnitt|Teil|Hinweis|Achtung|Beispiel|Seite|Fachbereich|"
        "Institut für|Universität|Satz|Beweis",
        lengths=(3, 5, 2, 0),
    ),
    "fr": _latin(
        "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son ou mais "
        "comme on aux nous cette leur entre deux même sans ces peut être dont",
        _ROMANCE + " ré é bou chan lon feu",
        "tion ment eur ique able ité ance er é ées es aux",
        "Résumé|Mots-clés|Introduction|Méthodes|Résultats|Discussion|Conclusion|Références|Remerciements|Annexe|Table des "
        "matières|Figure|Tableau|Chapitre|Section|Partie|Remarque|Attention|Exemple|Page|Département de|Institut de|"
        "Université de|Théorème|Démonstration",
    ),
    "es": _latin(
        "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre "
        "este ya entre cuando todo esta ser son dos también",
        _ROMANCE + " cam bue luz sol",
        "ción mente dor ico able idad ancia ar ado os as",
        "Resumen|Palabras clave|Introducción|Métodos|Resultados|Discusión|Conclusiones|Referencias|Agradecimientos|Apéndice|"
        "Índice|Figura|Tabla|Capítulo|Sección|Parte|Nota|Advertencia|Ejemplo|Página|Departamento de|Instituto de|"
        "Universidad de|Teorema|Demostración",
    ),
    "it": _latin(
        "di e il la che in un a per è una sono con non si da come le dei nel alla più anche del ma al lo della gli o se "
        "questo tra ha dal sulla cui essere",
        _ROMANCE + " chi pia gio vol",
        "zione mente tore ico abile ità anza are ato i e",
        "Sommario|Parole chiave|Introduzione|Metodi|Risultati|Discussione|Conclusioni|Bibliografia|Ringraziamenti|Appendice|"
        "Indice|Figura|Tabella|Capitolo|Sezione|Parte|Nota|Attenzione|Esempio|Pagina|Dipartimento di|Istituto di|"
        "Università di|Teorema|Dimostrazione",
    ),
    "pt": _latin(
        "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando "
        "muito nos já também só pelo pela até isso entre",
        _ROMANCE + " lha não bra",
        "ção mente dor ico ável idade ância ar ado os as",
        "Resumo|Palavras-chave|Introdução|Métodos|Resultados|Discussão|Conclusão|Referências|Agradecimentos|Apêndice|Sumário|"
        "Figura|Tabela|Capítulo|Seção|Parte|Nota|Aviso|Exemplo|Página|Departamento de|Instituto de|Universidade de|Teorema|"
        "Demonstração",
    ),
    "nl": _latin(
        "de van het een en in is dat op te zijn met voor niet aan er om die als dan bij ook maar uit door nog naar worden "
        "over tot wordt kan deze meer geen of wel",
        "werk stel grond meet kracht ruim tijd ver bond land draag vorm water leid sluit boven net loop recht spel houd",
        "ing heid lijk en er isch baar",
        "Samenvatting|Trefwoorden|Inleiding|Methoden|Resultaten|Discussie|Conclusie|Referenties|Dankwoord|Bijlage|"
        "Inhoudsopgave|Figuur|Tabel|Hoofdstuk|Paragraaf|Deel|Opmerking|Let op|Voorbeeld|Pagina|Afdeling|Instituut voor|"
        "Universiteit|Stelling|Bewijs",
        lengths=(2, 5, 2, 0),
    ),
    "sv": _latin(
        "och i att det som en på är av för med till den har de inte om ett men var sig så vi från kan när vid eller efter "
        "nu under mot över också skulle där alla",
        "verk ställ grund mät kraft rum tid för bund land drag form vatten led slut över nät lopp rätt spel håll",
        "ning het lig ar er isk bar ande",
        "Sammanfattning|Nyckelord|Inledning|Metoder|Resultat|Diskussion|Slutsats|Referenser|Tack|Bilaga|Innehåll|Figur|"
        "Tabell|Kapitel|Avsnitt|Del|Obs|Varning|Exempel|Sida|Institutionen för|Institutet för|Universitetet i|Sats|Bevis",
        lengths=(2, 5, 2, 0),
    ),
    "pl": _latin(
        "i w na z do się że nie jest to o jak po za od co przez dla przy są oraz jego tak może które który tym ale być już "
        "tylko czy jako lub między także",
        "pra sto wod kra czy sta now mia grz pod roz prze mak tor lin syl ker wal zna szy dro",
        "nie ość owy ski ami ego ych acja enie",
        "Streszczenie|Słowa kluczowe|Wstęp|Metody|Wyniki|Dyskusja|Wnioski|Literatura|Podziękowania|Dodatek|Spis treści|"
        "Rysunek|Tabela|Rozdział|Sekcja|Część|Uwaga|Ostrzeżenie|Przykład|Strona|Katedra|Instytut|Uniwersytet|Twierdzenie|"
        "Dowód",
    ),
    "cs": _latin(
        "a se v na je že s z do to i o k ve pro za by ale jsou jako po od jeho nebo které který tak podle také při byl mezi",
        "prá sta vod krá čin nov měř hra pod roz pře mak tor lin síl ker vál zna",
        "ní ost ový ský ami ého ých ace ení",
        "Abstrakt|Klíčová slova|Úvod|Metody|Výsledky|Diskuse|Závěr|Literatura|Poděkování|Příloha|Obsah|Obrázek|Tabulka|"
        "Kapitola|Oddíl|Část|Poznámka|Varování|Příklad|Strana|Katedra|Ústav|Univerzita|Věta|Důkaz",
    ),
    "tr": _latin(
        "ve bir bu da de için ile olarak çok daha gibi olan ne kadar sonra en ya ise ama her o var ki mi veya göre üzere",
        "yap bil gör çal der yer kon öl top ver say ön bağ tür dön kay göz sür alt",
        "lar ler mak mek lık sel da de dan ın im",
        "Özet|Anahtar Kelimeler|Giriş|Yöntemler|Bulgular|Tartışma|Sonuç|Kaynakça|Teşekkür|Ek|İçindekiler|Şekil|Tablo|Bölüm|"
        "Kısım|Parça|Not|Uyarı|Örnek|Sayfa|Bölümü|Enstitüsü|Üniversitesi|Teorem|Kanıt",
    ),
    "ru": _latin(
        "и в не на с что по как это к из у за от для о же так но при до или его все также был если между которые может",
        "раб мер вод стро сил вре мест пол ход зна лин сис тем пре при раз гра кон вер нап точ ток",
        "ение ность ный ская ами ого ых ать ция ов",
        "Аннотация|Ключевые слова|Введение|Методы|Результаты|Обсуждение|Заключение|Литература|Благодарности|Приложение|"
        "Содержание|Рисунок|Таблица|Глава|Раздел|Часть|Примечание|Внимание|Пример|Страница|Кафедра|Институт|Университет|"
        "Теорема|Доказательство",
        script="cyrillic",
        names=["А. И. Петров", "М. Соколова", "Иван Кузнецов", "Е. В. Орлова", "Д. Морозов", "Ольга Белова"],
    ),
    "el": _latin(
        "και το να του η της με που την από για είναι στο τα οι δεν τη στην μια σε ένα των θα αυτό ως κατά μεταξύ όπως",
        "μετρ γραφ λογ συν κατ παρ δυν νερ χρον τοπ μορφ θεσ αρχ ενερ δομ γραμ υλ φυσ",
        "ος η ο εις ικός ικά ηση ματα ων",
        "Περίληψη|Λέξεις κλειδιά|Εισαγωγή|Μέθοδοι|Αποτελέσματα|Συζήτηση|Συμπεράσματα|Βιβλιογραφία|Ευχαριστίες|Παράρτημα|"
        "Περιεχόμενα|Σχήμα|Πίνακας|Κεφάλαιο|Ενότητα|Μέρος|Σημείωση|Προσοχή|Παράδειγμα|Σελίδα|Τμήμα|Ινστιτούτο|Πανεπιστήμιο|"
        "Θεώρημα|Απόδειξη",
        script="greek",
        names=["Γ. Παπαδόπουλος", "Μαρία Νικολάου", "Κ. Ιωάννου", "Ελένη Δήμου"],
    ),
    "zh": _latin(
        "的 是 在 和 了 有 不 这 为 以 与 对 中 也 而 于 及 可 其 从 将 被 或 等 并 该",
        "测量 方法 系统 研究 结果 数据 分析 模型 水 面 高度 时间 网络 结构 变化 影响 控制 设计 理论 实验 过程 功能 材料 温度 能量 "
        "信息 技术 环境 发展 管理 社会 经济 计算 函数 误差 样本",
        "",
        "摘要|关键词|引言|方法|结果|讨论|结论|参考文献|致谢|附录|目录|图|表|第章|节|部分|注意|警告|例|页|系|研究所|大学|定理|证明",
        lengths=(6, 3, 1, 0), cased=False, spaceless=True, comma="，", stop="。", script="zh",
        names=["王小明", "李华", "张伟", "刘洋", "陈静", "赵磊", "周敏", "吴强"],
    ),
    "ja": _latin(
        "の は を に が と で も から まで より ため こと この その また など として による について した する している",
        "測定 方法 システム 研究 結果 データ 分析 モデル 水面 高さ 時間 ネットワーク 構造 変化 影響 制御 設計 理論 実験 過程 機能 材料 "
        "温度 エネルギー 情報 技術 環境 発展 管理 社会 経済 計算 関数 誤差",
        "",
        "概要|キーワード|はじめに|方法|結果|考察|結論|参考文献|謝辞|付録|目次|図|表|章|節|部|注意|警告|例|ページ|学科|研究所|大学|定理|証明",
        lengths=(6, 3, 0, 0), cased=False, spaceless=True, comma="、", stop="。", script="ja",
        names=["山田太郎", "佐藤花子", "鈴木一郎", "高橋健", "田中美咲", "渡辺誠"],
    ),
    "ko": _latin(
        "이 그 및 등 또한 그리고 대한 위한 있는 있다 한다 하는 것은 것이 더 가장 에서 으로",
        "측정 방법 시스템 연구 결과 자료 분석 모형 수면 높이 시간 구조 변화 영향 제어 설계 이론 실험 과정 기능 재료 온도 정보 기술 환경",
        "은 는 이 가 을 를 의 에 에서 으로 와",
        "초록|주제어|서론|방법|결과|논의|결론|참고문헌|감사의 글|부록|차례|그림|표|장|절|부|주의|경고|예|쪽|학과|연구소|대학교|정리|증명",
        lengths=(6, 3, 0, 0), cased=False, script="ko", names=["김민수", "이서연", "박지훈", "최은영", "정우진"],
    ),
    "ar": _latin(
        "في من على أن إلى هذا التي هذه مع كان عن ما لا كما أو بين ذلك حيث بعد قبل كل غير",
        "قياس نظام دراسة نتائج بيانات تحليل نموذج ماء ارتفاع وقت شبكة بنية تغير تأثير تصميم نظرية تجربة عملية مادة حرارة طاقة معلومات "
        "تقنية بيئة تطوير إدارة مجتمع اقتصاد حساب خطأ",
        "",
        "الملخص|الكلمات المفتاحية|المقدمة|الطرق|النتائج|المناقشة|الخاتمة|المراجع|شكر وتقدير|ملحق|المحتويات|الشكل|الجدول|الفصل|القسم|"
        "الجزء|ملاحظة|تحذير|مثال|صفحة|قسم|معهد|جامعة|مبرهنة|برهان",
        lengths=(1, 0, 0, 0), cased=False, comma="،", right_to_left=True, script="arabic",
        names=["أحمد حسن", "فاطمة علي", "محمد سالم", "ليلى عمر"],
    ),
    "he": _latin(
        "של את על לא הוא עם כי זה או אם גם היא כל בין אל יש עד רק אך לפי כמו אחרי",
        "מדידה שיטה מערכת מחקר תוצאה נתונים ניתוח מודל מים גובה זמן רשת מבנה שינוי השפעה תכנון תורה ניסוי תהליך חומר אנרגיה מידע "
        "סביבה ניהול חברה כלכלה חישוב שגיאה",
        "",
        "תקציר|מילות מפתח|מבוא|שיטות|תוצאות|דיון|מסקנות|מקורות|תודות|נספח|תוכן העניינים|איור|טבלה|פרק|סעיף|חלק|הערה|אזהרה|דוגמה|"
        "עמוד|המחלקה ל|המכון ל|אוניברסיטת|משפט|הוכחה",
        lengths=(1, 0, 0, 0), cased=False, right_to_left=True, script="hebrew",
        names=["דוד כהן", "רות לוי", "יוסי מזרחי", "נועה פרץ"],
    ),
    "hi": _latin(
        "के में है की और का को से पर यह एक हैं ने इस लिए भी कि जो तक या तथा द्वारा",
        "मापन विधि प्रणाली अध्ययन परिणाम आँकड़े विश्लेषण प्रतिरूप जल ऊँचाई समय संरचना परिवर्तन प्रभाव नियंत्रण रचना सिद्धांत प्रयोग "
        "प्रक्रिया सामग्री तापमान ऊर्जा सूचना तकनीक पर्यावरण",
        "",
        "सारांश|मुख्य शब्द|परिचय|विधियाँ|परिणाम|चर्चा|निष्कर्ष|संदर्भ|आभार|परिशिष्ट|विषय सूची|चित्र|तालिका|अध्याय|खंड|भाग|टिप्पणी|"
        "चेतावनी|उदाहरण|पृष्ठ|विभाग|संस्थान|विश्वविद्यालय|प्रमेय|प्रमाण",
        lengths=(1, 0, 0, 0), cased=False, stop="।", script="devanagari",
    ),
}  # fmt: skip

WEIGHTS: dict[str, float] = {
    "en": 46, "de": 6, "fr": 6, "es": 6, "it": 3, "pt": 3, "nl": 2, "sv": 1.5, "pl": 2, "cs": 1, "tr": 1.5, "ru": 4,
    "el": 1, "zh": 5, "ja": 4, "ko": 2, "ar": 2.5, "he": 1.5, "hi": 1,
}  # fmt: skip
"""How often a language is drawn."""
