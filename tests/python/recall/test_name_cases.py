"""Names in questions whose languages decline them."""

from __future__ import annotations

import pytest

from memspan.recall import Vocabulary, find_names

POLISH = Vocabulary(speakers=["Anna", "Marek", "Tomasz", "Ewa", "Piotr", "Magda", "Monika", "Kasia", "Paweł"])
RUSSIAN = Vocabulary(speakers=["Иван", "Мария", "Анна", "Андрей", "Павел", "Игорь", "Катя"], tags=["кот"])


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Co mówiła Annie?", ["Anna"]),
        ("Widziałem Annę w maju?", ["Anna"]),
        ("Co powiedział brat Marka?", ["Marek"]),
        ("Gdzie byłem z Tomaszem?", ["Tomasz"]),
        ("O czym mówiła Ewie?", ["Ewa"]),
        ("Co dałem Piotrowi i Magdzie?", ["Piotr", "Magda"]),
        ("Kiedy myślałem o Piotrze?", ["Piotr"]),
        ("Co poleciłem Monice?", ["Monika"]),
        ("Kiedy spotkałem Kasię z Pawłem?", ["Kasia", "Paweł"]),
        ("co mówiła annie?", []),  # as in other languages: only a capital makes a name of what may be a word
        ("What did Annie say to Łukasz?", []),
        ("Was hat Annie gesagt?", []),
    ],
)
def test_polish(question: str, names: list[str]) -> None:
    assert [found.name for found in find_names(question, POLISH)] == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Что я сказал Ивану?", ["Иван"]),
        ("Где мы были с Марией и Анной?", ["Мария", "Анна"]),
        ("Что я подарил Андрею?", ["Андрей"]),
        ("О чём мы говорили с Павлом и Игорем?", ["Павел", "Игорь"]),
        ("Видел ли я Катю в мае?", ["Катя"]),
        ("Когда я был в Риме?", []),
        ("Где я видел кота?", []),
    ],
)
def test_russian(question: str, names: list[str]) -> None:
    assert [found.name for found in find_names(question, RUSSIAN)] == names


def test_a_name_as_it_is_comes_before_one_in_another_case() -> None:
    both = Vocabulary(speakers=["Marka", "Marek"])
    assert [found.name for found in find_names("Co powiedział Marka?", both)] == ["Marka"]
