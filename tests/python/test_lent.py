"""What is lent to a block."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from memspan.base.lent import Lent


class Account:
    """Whether something is lent, and what the block said of it."""

    def __init__(self) -> None:
        self.lent = False
        self.heard: BaseException | None = None

    def lend(self) -> Generator[str, None, None]:
        self.lent = True
        try:
            yield "it"
        except BaseException as error:
            self.heard = error
            raise
        finally:
            self.lent = False


@pytest.fixture
def account() -> Account:
    return Account()


def test_it_is_lent_for_the_block(account: Account) -> None:
    with Lent(account.lend()) as it:
        assert (it, account.lent) == ("it", True)
    assert not account.lent
    assert account.heard is None


@pytest.mark.parametrize("kind", [KeyError, StopIteration, KeyboardInterrupt, GeneratorExit])
def test_an_error_of_the_block_is_heard_and_goes_on(account: Account, kind: type[BaseException]) -> None:
    error = kind()
    with pytest.raises(kind) as caught, Lent(account.lend()):
        raise error
    assert caught.value is account.heard is error
    assert not account.lent
    assert [entry.name for entry in caught.traceback] == ["test_an_error_of_the_block_is_heard_and_goes_on"]


def test_an_error_of_the_end_takes_the_place_of_that_of_the_block() -> None:
    def lend() -> Generator[None, None, None]:
        try:
            yield
        except KeyError as error:
            raise OverflowError from error

    with pytest.raises(OverflowError) as caught, Lent(lend()):
        raise KeyError
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_end_that_fails_is_heard() -> None:
    def lend() -> Generator[None, None, None]:
        yield
        raise OverflowError

    with pytest.raises(OverflowError), Lent(lend()):
        pass


def test_what_nobody_gave_back_is_so_when_nobody_has_it(account: Account) -> None:
    lent = Lent(account.lend())
    lent.__enter__()
    del lent
    assert not account.lent
    assert isinstance(account.heard, GeneratorExit)
