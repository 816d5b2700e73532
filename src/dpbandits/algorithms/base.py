"""The entry of an algorithm: its fields, the allowed ranges of its constants, and the examples that tests run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from dpbandits.base.entries import NOT_NEGATIVE as NOT_NEGATIVE
from dpbandits.base.entries import POSITIVE as POSITIVE
from dpbandits.base.entries import PROBABILITY as PROBABILITY
from dpbandits.base.entries import SWITCH as SWITCH
from dpbandits.base.entries import Choice as Choice
from dpbandits.base.entries import Domain as Domain
from dpbandits.base.entries import Look as Look
from dpbandits.base.entries import Range as Range
from dpbandits.privacy.noise import Noise

TrustModel = Literal["central", "local", "shuffle", "none"]
"""Who adds noise: the server, every user, or users before a shuffler; `none` means not private."""
TRUST_MODELS: tuple[str, ...] = get_args(TrustModel)
Agreement = Literal["distribution", "stream", "mean"]
"""How `run` agrees with `run_literal`: in distribution; exactly, on the same random stream; or with its mean."""


Environment = Mapping[str, str | float]
"""`family`, the name of an environment, and the arguments of its `draw`."""


@dataclass(frozen=True)
class Guarantee:
    """The privacy guarantee of the calibration `certified`.

    Attributes
    ----------
    statement : what is released, with its epsilon and delta; `none`, or `none: <reason>`, without privacy.
    neighbors : the change between neighboring datasets; empty without privacy.
    """

    statement: str
    neighbors: str

    def __str__(self) -> str:
        """`<statement> when <neighbors>`."""
        return f"{self.statement} when {self.neighbors}" if self.neighbors else self.statement


NO_PRIVACY = Guarantee("none", "")


@dataclass(frozen=True)
class Example:
    """A small run on which the tests in `tests/contracts` compare `run` with `run_literal`.

    Choose a setting in which half of the noise would change the distribution of the regret, and a horizon at which
    `run_literal` takes at most about 20 ms.

    Attributes
    ----------
    environment : the family of instances; tests draw one instance.
    setting : all parameters and grid values that the entry declares, and no others.
    horizon : number of rounds.
    calibration : a calibration that does not coincide with another.
    noise : answers to the module's `requests`, only for `certified`; any numbers, so that tests need no accounting.
    """

    environment: Environment
    setting: Mapping[str, float]
    horizon: int
    calibration: str = "printed"
    noise: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """One algorithm.

    Attributes
    ----------
    label : name in lists.
    short : name in legends and verdicts, where the paper is clear from the context.
    reference : paper and algorithm number.
    trust_model : whom users must trust.
    noise : the functions with which `run` adds noise and from which audits draw; empty without privacy.
    guarantee : what `certified` guarantees, and for which neighboring datasets.
    parameters : constants given by the configuration, with their allowed values.
    arms : what the algorithm is told about its arms; it plays the families of `environments.table` of these kinds.
    grid : names of the grid values that it needs.
    outputs : columns of its trace, equal to the module's `OUTPUTS`.
    calibrations : the calibrations that apply; a value that differs from its key names the calibration it equals.
    look : plot style.
    looks : variant -> plot style; variants not listed use `look`.
    without_privacy : variants that add no noise although the algorithm does.
    examples : at least two, and at least one for each calibration that does not coincide with another.
    noise_asks : arguments of the environment on which its certified noise depends.
    agrees : how `run` agrees with `run_literal`.
    optional : constants of a user-defined algorithm that have a default, so that the configuration may omit them.
    """

    label: str
    short: str
    reference: str
    trust_model: TrustModel
    noise: tuple[Noise, ...] = ()
    guarantee: Guarantee
    parameters: Mapping[str, Domain]
    arms: str | tuple[str, ...]
    grid: tuple[str, ...]
    outputs: tuple[str, ...]
    calibrations: Mapping[str, str]
    examples: tuple[Example, ...]
    look: Look
    looks: Mapping[str, Look] = field(default_factory=dict)
    without_privacy: tuple[str, ...] = ()
    noise_asks: tuple[str, ...] = ()
    agrees: Agreement = "distribution"
    optional: tuple[str, ...] = ()

    @property
    def private(self) -> bool:
        """Whether it has a privacy guarantee."""
        return self.trust_model != "none"

    @property
    def random(self) -> bool:
        """Whether its runs depend on the random stream."""
        return self.agrees != "mean"

    def trust_model_of(self, variant: str) -> TrustModel:
        """The trust model of a variant; an empty name stands for the algorithm itself."""
        return "none" if variant in self.without_privacy else self.trust_model

    def own_calibrations(self) -> tuple[str, ...]:
        """The calibrations that do not coincide with another."""
        return tuple(name for name, same in self.calibrations.items() if name == same)

    def plays(self, arms: str) -> bool:
        """Whether it plays families with this kind of arms."""
        return arms in self.arms if isinstance(self.arms, tuple) else arms == self.arms
