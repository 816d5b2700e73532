"""Check arguments that are plain numbers."""

from typing import Any

from dpbandits.base.entries import Domain, Range
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got

SEEDS = Range(1.0, 1_000_000.0, closed=True, whole=True)
JOBS = Range(1.0, 1024.0, closed=True, whole=True)
ROOT_SEED = Range(0, 2**64 - 1, closed=True, whole=True)
PER_DECADE = Range(0.0, 100.0, closed=True, whole=True)


def plain(value: Any) -> Any:
    """Python value of a NumPy scalar; other values unchanged."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value


def number(place: str, value: Any, domain: Domain) -> float:
    """Number given as an argument.

    Raises
    ------
    ConfigError
        The number is outside its range.
    """
    try:
        return domain.number(plain(value))
    except ValueError as fault:
        raise ConfigError(f"{place}: {got(plain(value), fault)}") from None


def whole(place: str, value: Any, domain: Domain) -> int:
    """Like `number`, but for a whole number, of which all digits count."""
    found = number(place, value, domain)
    exact = plain(value)
    return exact if type(exact) is int else int(found)


def several(place: str, values: Any) -> list[Any]:
    """A list of values; a single value becomes a list of one.

    Raises
    ------
    ConfigError
        The list is empty.
    """
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        return [values]
    if not (found := list(values)):
        raise ConfigError(f"{place}: got []; must be a number or a list of numbers")
    return found
