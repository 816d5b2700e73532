"""Tables as pandas DataFrames; pandas is imported when a table is made."""

from typing import TYPE_CHECKING, Any

from dpbandits.config.plain_yaml import ConfigError

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame


def pandas() -> Any:
    """The module pandas.

    Raises
    ------
    ConfigError
        It is not installed.
    """
    try:
        import pandas
    except ModuleNotFoundError:
        raise ConfigError("pandas: not installed. Run `pip install pandas`.") from None
    return pandas
