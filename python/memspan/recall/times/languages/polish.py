"""Polish. Months and units stand in the cases that follow numbers and prepositions."""

from __future__ import annotations

from memspan.recall.times.lexicon import Lexicon

from .slavic_numbers import POLISH_MANY, POLISH_ORDINALS

LEXICON = Lexicon(
    "pl",
    {
        "month": {
            "styczeń|stycznia|styczniu|styczniem": 1,
            "luty|lutego|lutym": 2,
            "marzec|marca|marcu|marcem": 3,
            "kwiecień|kwietnia|kwietniu|kwietniem": 4,
            "maj|maja|maju|majem": 5,
            "czerwiec|czerwca|czerwcu|czerwcem": 6,
            "lipiec|lipca|lipcu|lipcem": 7,
            "sierpień|sierpnia|sierpniu|sierpniem": 8,
            "wrzesień|września|wrześniu|wrześniem": 9,
            "październik|października|październiku|październikiem": 10,
            "listopad|listopada|listopadzie|listopadem": 11,
            "grudzień|grudnia|grudniu|grudniem": 12,
        },
        "weekday": {
            "poniedziałek|poniedziałku": 0,
            "wtorek|wtorku": 1,
            "środa|środę|środy": 2,
            "czwartek|czwartku": 3,
            "piątek|piątku": 4,
            "sobota|sobotę|soboty": 5,
            "niedziela|niedzielę|niedzieli": 6,
        },
        "unit": {
            "minuta|minutę|minuty|minut": "minute",
            "godzina|godzinę|godziny|godzin": "hour",
            "dzień|dni|dnia|dniu|dniach": "day",
            "tydzień|tygodnie|tygodni|tygodniu|tygodnia|tygodniach": "week",
            "weekend|weekendu|weekendy": "weekend",
            "miesiąc|miesiące|miesięcy|miesiącu|miesiąca|miesiącach": "month",
            "kwartał|kwartale|kwartału": "quarter",
            "rok|roku|lata|lat|latach": "year",
            "dekada|dekadę|dekadzie": "decade",
        },
        "season": {
            "wiosna|wiosnę|wiosną|wiosny": 0,
            "lato|latem": 1,
            "jesień|jesienią|jesieni": 2,
            "zima|zimę|zimą|zimy": 3,
        },
        "part": {"rano|rankiem": 0, "po południu": 1, "wieczorem": 2, "w nocy|nocą": 3},
        "plural": {
            "poniedziałki|poniedziałków": ("weekday", 0),
            "wtorki|wtorków": ("weekday", 1),
            "śród": ("weekday", 2),
            "czwartki|czwartków": ("weekday", 3),
            "piątki|piątków": ("weekday", 4),
            "sobót": ("weekday", 5),
            "niedziele|niedziel": ("weekday", 6),
        },
        "number": {"dwa|dwie|dwóch": 2, "trzy|trzech": 3, "cztery|czterech": 4, "pięć|pięciu": 5}
        | {"sześć|sześciu": 6, "siedem|siedmiu": 7, "osiem|ośmiu": 8}
        | {"dziewięć": 9, "dziesięć": 10}
        | POLISH_MANY
        | POLISH_ORDINALS,
        "decimal": {"półtora|półtorej": 1.5, "pół": 0.5},
        "andhalf": {"i pół": None},
        "few": {"kilka|kilku|parę|paru": (2, 5)},
        "half": {"półrocze|półroczu|półrocza": None},
        "last": {
            "zeszły|zeszłym|zeszłą|zeszłego|zeszłe|zeszłej|ubiegły|ubiegłym|ubiegłą|ubiegłego|ubiegłe|ubiegłej|ostatni|ostatnim|ostatnią"
            "|ostatnie|ostatnich|ostatniego|ostatniej|poprzedni|poprzednim|poprzednią|poprzedniego|poprzedniej": None,
            "przedostatni|przedostatnim|przedostatnią|zaprzeszły|zaprzeszłym": 2,
        },
        "next": {
            "przyszły|przyszłym|przyszłą|przyszłego|przyszłe|przyszłej|następny|następnym|następną|następnego|następne"
            "|następnej": None,
            "nadchodzący|nadchodzącym|nadchodzącą|nadchodzącego|nadchodzące|nadchodzącej": 0,
            "najbliższy|najbliższym|najbliższą|najbliższego|najbliższe|najbliższej": 0,
        },
        "every": {"każdy|każdą|każdego|każdej|każde": None},
        "this": {"ten|tym|tego|tę|tej": None},
        "early": {"początek|początku|na początku": 0},
        "mid": {"połowie|w połowie": 1},
        "late": {"koniec|końca|końcu|końcem|pod koniec": 2},
        "ago": {"temu": None},
        "ahead": {"za": None},
        "more": {"ponad|więcej niż": None},
        "less": {"mniej niż": None},
        "before": {"przed|wcześniej niż": None},
        "after": {"po|później niż": None},
        "since": {"od|nie przed|nie wcześniej niż": None},
        "until": {"do|nie po|nie później niż": None},
        "between": {"między|pomiędzy": None},
        "and": {"a|i": None},
        "or": {"lub|albo|czy": None},
        "but": {"ale|lecz|tylko": None},
        "not": {"nie": False, "oprócz|zamiast": True},
        "now": {"teraz|chwili obecnej": None},
        "in": {"w|we|podczas": None},
        "on": {"na": None, "około|koło": 3},
        "ofyear": {"r": None},
        "offset": {"dziś|dzisiaj": 0, "wczoraj": -1, "przedwczoraj": -2, "jutro": 1, "pojutrze": 2}
        | {"wczoraj wieczorem|zeszłej nocy": (-1, 3), "dziś rano|dzisiaj rano": (0, 0)}
        | {"dziś wieczorem|dzisiaj wieczorem": (0, 2)},
        # "Lata" alone are years, and "w połowie" is the middle.
        "glued": {
            "pierwszej połowie|drugiej połowie": (None, ("half", None)),
            "zeszłego lata|ubiegłego lata|ostatniego lata|poprzedniego lata": (("last", None), ("season", 1)),
            "tego lata": (("this", None), ("season", 1)),
            "przyszłego lata|następnego lata": (("next", None), ("season", 1)),
        },
        "named": {"wielki piątek|wielkiego piątku": "good friday", "walentynki|walentynek": "valentine"}
        | {"boże ciało|bożego ciała": "corpus christi"}
        | {"wigilia|wigilię|wigilii|wigilią": "christmas eve", "sylwestra|sylwester": "new year eve"}
        | {"boże narodzenie|bożego narodzenia|bożym narodzeniu|bożym narodzeniem": "christmas"}
        | {"wielkanoc|wielkanocy|wielkanocą": "easter", "nowy rok|nowego roku|nowym rokiem": "new year"},
    },
    adverbs="wiosną latem jesienią zimą",
    past=r"^(?!.*\bbęd(?:ę|ziesz|zie|ziemy|ziecie|ą)\b).*\b(?!(?:jeśli|czyli|myśli|szkoła|stół|artykuł)\b)"
    r"\w{2,}(?:[łl](?:em|am|eś|aś)|liśmy|łyśmy|liście|łyście|ł|ła|ło|li|ły)\b",
    ahead=r"\b(?:plany|planach|planuję|planujemy|planujesz|planuje|zaplanowan\w+|terminarz\w*|terminy|termin|kalendarz\w*"
    r"|woln[yai]|robię|robimy|jadę|jedziemy|jedzie|idę|idziemy|lecę|lecimy|przychodzi|przyjeżdża"
    r"|wyjeżdża|wraca|przylatuje|odlatuje|przyjdzie|przyjdą|przyjadę|przyjedzie|przyjadą|zacznie się|zaczyna się"
    r"|będę|będzie|będziesz|będziemy|będą)\b|\b(?:muszę|musi|musimy)\b(?!.*\b(?:wiedzieć|pamiętać)\b)"
    r"|\b(?:jest|są)(?: (?:w|we|na|mój|moja|moje|nasz|nasza|następn[yae]|#))* (?:dentysta|lekarz|impreza|koncert|ślub"
    r"|wesele|podróż|egzamin|spotkanie|lot|pociąg|szkoła|lekcja|mecz|kolacja|wycieczka)\b"
    r"|\b(?:mam|mamy|ma)(?: (?:coś|czas|do|zrobienia|w|we|na|o))* #",
    many="dni dniach tygodnie tygodni tygodniach miesiące miesięcy miesiącach lata lat latach weekendy",
    single="minutę godzinę dzień tydzień miesiąc kwartał rok dekadę",
)
