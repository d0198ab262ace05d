"""English."""

from __future__ import annotations

from memspan.recall.times.lexicon import Lexicon

from .english_numbers import SPELLED

_UNITS = ("day", "week", "weekend", "month", "quarter", "year")
_GLUED = {
    direction + unit: (len(direction), (direction, None), ("unit", unit))
    for direction in ("last", "this", "next")
    for unit in _UNITS
}

LEXICON = Lexicon(
    "en",
    {
        "month": {
            "january|janurary": 1,
            "february": 2,
            "july": 7,
            "september": 9,
            "october": 10,
            "november": 11,
            "december|decemeber": 12,
        },
        # Abbreviations, verbs and first names: only in a context that settles it.
        "shortmonth": {
            "jan": 1,
            "feb": 2,
            "mar|march": 3,
            "apr|april": 4,
            "may": 5,
            "jun|june": 6,
            "jul": 7,
            "aug|august": 8,
            "sep|sept": 9,
            "oct": 10,
            "nov": 11,
            "dec": 12,
        },
        "weekday": {
            "monday|mondays": 0,
            "tuesday|tuesdays": 1,
            "wednesday|wednesdays|wensday": 2,
            "thursday|thursdays": 3,
            "friday|fridays": 4,
            "saturday|saturdays": 5,
            "sunday|sundays": 6,
        },
        "shortday": {
            "mon": 0,
            "tue|tues": 1,
            "wed|weds": 2,
            "thu|thur|thurs": 3,
            "fri": 4,
            "sat": 5,
            "sun": 6,
        },
        "unit": {
            "seconds|secs": "second",
            "minute|minutes|mins|min": "minute",
            "hour|hours|hrs|hr": "hour",
            "day|days": "day",
            "week|weeks|wk|wks": "week",
            "weekend|weekends|wknd|wkend|wkends|w / e": "weekend",
            "fortnight|fortnights": "fortnight",
            "month|months|mth|mths|mos|motnh|monht": "month",
            "quarter|quarters": "quarter",
            "year|years|yr|yrs|fiscal year|financial year|calendar year|tax year": "year",
            "decade|decades": "decade",
            "century|centuries": "century",
        },
        "season": {
            "spring|springtime|spring break": 0,
            "summer|summertime|summer holidays|summer holiday|summer vacation|summer break|summer hols": 1,
            "fall|autumn|fall break|autumn break": 2,
            "winter|wintertime": 3,
        },
        # With the space between them left out.
        "glued": _GLUED
        | {"w / c|w / b": (("unit", "week"), ("of", None), ("of", None))}
        | {f"all {unit}": (("this", None), ("unit", unit)) for unit in ("week", "weekend")}
        | {f"{unit} end": (("late", 2), ("unit", unit)) for unit in ("month", "quarter", "year")}
        | {
            f"{unit} - end": (("late", 2), ("dash", None), ("unit", unit))
            for unit in ("month", "quarter", "year")
        },
        # More than one of them: only a number of turns ago.
        "plural": {
            "springs": ("season", 0),
            "summers": ("season", 1),
            "falls|autumns": ("season", 2),
            "winters": ("season", 3),
            "mornings": ("part", 0),
            "afternoons": ("part", 1),
            "evenings": ("part", 2),
            "nights": ("part", 3),
            "christmases": ("named", "christmas"),
            "easters": ("named", "easter"),
            "thanksgivings": ("named", "thanksgiving"),
            "halloweens": ("named", "halloween"),
        },
        "part": {"morning": 0, "afternoon": 1, "evening": 2, "night|nite": 3},
        "decade": {
            "twenties": 20,
            "thirties": 30,
            "forties": 40,
            "fifties": 50,
            "sixties": 60,
            "seventies": 70,
        }
        | {"eighties": 80, "nineties": 90},
        "number": {
            "a couple of|a couple|couple of|couple": 2,
            "half a dozen": 6,
            "a dozen": 12,
            "a hundred": 100,
        }
        | SPELLED,
        "few": {"a few|few|a handful of": (2, 5), "several": (3, 7)},
        "amount": {
            "half a year|half year": (6, "month"),
            "half an hour": (30, "minute"),
            "a quarter of an hour|quarter of an hour": (15, "minute"),
            "three quarters of an hour": (45, "minute"),
        },
        "a": {"a|an": None},
        "andhalf": {"and a half": None},
        "orso": {"or so": None},
        "last": {"last|previous": None},
        "next": {"next": None, "coming|upcoming": 0},  # 0 for the first that begins
        "this": {"this|this very|the current|current": None},
        "past": {"past": None},
        "same": {
            "this time|the same time|same time": True,
            "the same day|same day|this date|the same date|same date": False,
        }
        | {"the same week|same week": "week", "the same month|same month": "month"},
        # By other calendars, whose days are not known here.
        "word": {
            "chinese new year|lunar new year|jewish new year": None,
            "orthodox easter|orthodox christmas|orthodox new year|super bowl sunday": None,
            "close of business|end of business|close of play|end of day": None,
        },
        "every": {
            "every other|every second|every third|every single|each and every|every|each|any|some": None
        },
        "early": {"early|the beginning of|beginning of|the start of|start of": 0},
        "mid": {"mid|the middle of|middle of": 1},
        "late": {"late|the end of|end of": 2},
        "earlier": {"earlier|so far|thus far": None},
        "sofar": {"year to date|ytd": "year", "quarter to date|qtd": "quarter", "month to date|mtd": "month"},
        "later": {
            "later": None,
            "the rest of the|rest of the|the rest of this|rest of this": None,
            "the remainder of the|remainder of the|the remainder of this|remainder of this": None,
        },
        "half": {"half": None},
        "ago": {"ago": None},
        "back": {"back": None},
        "fromnow": {"from now|hence": None},
        "more": {"more than|longer than|at least": None},
        "less": {"under|less than|fewer than|no more than|not more than|at most": None},
        "before": {
            "pre -|before|prior to|preceding|earlier than|sooner than": None,
            "leading up to|run - up to|lead - up to": None,
        },
        "after": {"post -|after|following|later than": None},
        "since": {
            "on or after|not until|not till|since|ever since|starting from|starting with|beginning with": None,
            "not before|no earlier than|not earlier than|no sooner than": None,
        },
        "until": {
            "on or before|until|till|up to|up until|as of|no later than|not later than|not after": None
        },
        "by": {"by": None},
        "from": {"from": None},
        "to": {"to|through|thru": None},
        "between": {"between": None},
        "and": {"and": None},
        "or": {"or": None, "vs|vs .|versus": True},  # a comparison, which only times take part in
        "but": {"but": None},
        "now": {"now|the present|present day|the present day": None},
        # "Over a year ago" is before it.
        "in": {"in|during|within|throughout|all through": None, "over": True},
        # Days on either side.
        "on": {"on|at|for": None, "around|sometime around|some time around|circa|roughly|approximately": 3},
        "of": {"of|fy|fiscal": None},
        "the": {"the": None},
        "offset": {
            "today|todays": 0,
            "yesterday|yesterdays|yday": -1,
            "tomorrow|tomorrows|tmrw|tmr|tommorow": 1,
            "the day before yesterday|day before yesterday": -2,
            "the day after tomorrow|day after tomorrow": 2,
            "last night|lastnight": (-1, 3),
            "tonight|tonite": (0, 3),
            "the night before last|night before last": (-2, 3),
        },
        "recent": {
            "the other day|the other night|the other evening|the other morning|the other afternoon": 7,
            "the other weekend": 21,
            "the other week": 30,
            "the other month": 60,
        }
        | {"recent days": 5, "recent weeks": 35, "recent months": 151, "recent years": 1826},
        "not": {
            "not": False,
            "anything but|everything but": True,
            "except|except for|excluding|other than|outside of|apart from|aside from": True,
            "besides|instead of|rather than": True,
        },
        "isoweek": {"calendar week|iso week": None},
        "named": {
            "new year day|new years day|new year|new years": "new year",
            "new year eve|new years eve|nye|hogmanay": "new year eve",
            "epiphany": "epiphany",
            "valentine day|valentines day|valentines|valentine": "valentine",
            "st patrick day|st . patrick day|saint patrick day|st patricks day|st . patricks day": "st patrick",
            "paddy day|paddys day|st paddy day|st paddys day": "st patrick",
            "april fool day|april fools day|april fools ' day|april fools": "april fool",
            "mardi gras|shrove tuesday|fat tuesday|pancake day|pancake tuesday": "shrove tuesday",
            "ash wednesday": "ash wednesday",
            "palm sunday": "palm sunday",
            "holy thursday|maundy thursday": "maundy thursday",
            "good friday": "good friday",
            "holy saturday|easter saturday": "holy saturday",
            "whit monday": "whit monday",
            "cyber monday": "cyber monday",
            "easter|easter sunday": "easter",
            "easter monday": "easter monday",
            "mother day|mothers day": "mother",
            "mothering sunday": "mothering sunday",
            "memorial day": "memorial",
            "father day|fathers day": "father",
            "independence day|fourth of july|the fourth of july|4th of july|the 4th of july": "independence",
            "labor day|labour day": "labor",
            "halloween": "halloween",
            "thanksgiving|thanksgiving day": "thanksgiving",
            "canadian thanksgiving": "columbus",
            "black friday": "black friday",
            "giving tuesday": "giving tuesday",
            "christmas eve|xmas eve": "christmas eve",
            "christmas|christmas day|christmas time|christmastime|xmas": "christmas",
            "christmas break|christmas holidays|christmas holiday|christmas vacation|xmas break|xmas holidays"
            "|christmas hols|winter break": "christmas break",
            "easter break|easter holidays|easter holiday|easter vacation|easter hols": "easter break",
            "boxing day": "boxing",
            "martin luther king day|martin luther king jr day|mlk day": "martin luther king",
            "president day|presidents day|presidents ' day": "presidents",
            "international women day|women day|womens day": "women",
            "earth day": "earth",
            "may day": "labour",
            "cinco de mayo": "cinco de mayo",
            "juneteenth": "juneteenth",
            "canada day": "canada",
            "bastille day": "bastille",
            "columbus day|indigenous people day|indigenous peoples day|indigenous peoples ' day": "columbus",
            "all saint day|all saints day|all saints ' day": "all saints",
            "veteran day|veterans day|veterans ' day|armistice day|remembrance day": "armistice",
            "remembrance sunday": "remembrance sunday",
            "guy fawkes night|guy fawkes day|bonfire night": "guy fawkes",
            "burns night": "burns",
            "anzac day": "anzac",
            "australia day": "australia",
            "advent sunday|first advent|first sunday of advent|first sunday in advent": "first advent",
            "second sunday of advent|second sunday in advent": "second advent",
            "third sunday of advent|third sunday in advent": "third advent",
            "fourth sunday of advent|fourth sunday in advent": "fourth advent",
            "ascension day": "ascension",
            "pentecost|pentecost sunday|whit sunday|whitsun": "pentecost",
        },
    },
    day_first=False,
    many="days weeks weekends fortnights months quarters years decades centuries hours minutes secs wks mths yrs",
    misspelt="january february september october november december monday tuesday wednesday thursday friday saturday "
    "sunday yesterday tomorrow weekend christmas halloween thanksgiving",
)
