"""What is kept of a text's answers, and for which texts."""

from __future__ import annotations

from app.classification.remembering import KEPT, SHORT, remembered


def test_the_answer_about_a_short_text_is_found_once_and_about_a_long_one_each_time() -> None:
    asked: list[int] = []

    @remembered
    def length(text: str) -> int:
        asked.append(len(text))
        return len(text)

    for text in ("ls", "x" * (SHORT + 1)):
        assert [length(text), length(text)] == [len(text)] * 2
    assert asked == [2, SHORT + 1, SHORT + 1]


def test_only_the_latest_answers_are_kept() -> None:
    asked: list[str] = []
    answer = remembered(asked.append)
    for number in range(KEPT + 1):
        answer(f"{number}")
    answer("0")
    answer(f"{KEPT}")
    assert asked.count("0") == 2
    assert asked.count(f"{KEPT}") == 1
