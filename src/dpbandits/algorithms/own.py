"""User-defined algorithms: a class that plays round by round, or a module with an entry like those of the package.

A class has two methods: `act(t)` returns the arm of round t, and `update(t, arm, reward)` receives the reward. Arms
count from 0, rounds from 1. The signature decides which bandits it plays. A class whose `act` takes `(t, contexts)`
plays contextual bandits. One whose constructor takes `oracle` plays combinatorial semi-bandits: `act` returns base
arms and `update` receives their outcomes. Any other class plays bandits whose arms have fixed means.

The constructor may take, by these names: `arms` (their number), `rng` (numpy.random.Generator), `T`, `eps`,
`calibration`, `features` (arms, dimension) and `dimension` if the bandit has them, `oracle`, and constants. A class may
declare `label`, `trust_model` and `guarantee`; and `release(rng, data, n)` with `neighbors`, from which an audit draws.
"""

import inspect
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dpbandits.algorithms.base import NO_PRIVACY, TRUST_MODELS, Algorithm, Guarantee
from dpbandits.base.entries import CALIBRATIONS, Look, Range
from dpbandits.base.own_code import Fault, loaded
from dpbandits.base.registry import ALGORITHMS, Own
from dpbandits.environments.base import BINARY, CONTEXTS, MEANS, SETS, SHARED, SIGNED

if TYPE_CHECKING:
    from dpbandits.privacy.mechanisms import NoiseRequest

OUTPUTS = ("regret", "best_pulls")
"""Pseudo-regret, and number of pulls of the best arms, up to the checkpoint."""
TOLD = ("arms", "rng", "T", "calibration", "features", "dimension", "oracle")
METHODS = {"act": "act(t), which returns an arm", "update": "update(t, arm, reward)"}
FIXED, CONTEXTUAL, COMBINATORIAL = (MEANS, SIGNED, BINARY), (CONTEXTS, SHARED), (SETS,)
"""Kinds of arms that a class can play."""
TO_PLAY = {
    **dict.fromkeys(FIXED, "takes no `contexts` in `act` and no `oracle` in its constructor"),
    **dict.fromkeys(CONTEXTUAL, "takes the contexts of a round: act(t, contexts)"),
    **dict.fromkeys(COMBINATORIAL, "takes `oracle` in its constructor"),
}
"""For each kind of arms, how the signature of a class must look to play it."""
ANY = Range(-1e300, 1e300, closed=True)
LOOKS = (Look("P", "-"), Look("X", "--"), Look("*", "-."), Look("h", ":"), Look("p", "-"), Look("8", "--"))


class OfClass:
    """Adapter that gives a class the interface of an algorithm module.

    Attributes
    ----------
    rule : the class.
    """

    OUTPUTS = OUTPUTS

    def __init__(self, name: str, rule: type) -> None:
        self.rule = rule
        self.__name__ = name
        self.ALGORITHM = entry_of(name, rule)

    @staticmethod
    def requests(setting: Mapping[str, float]) -> "dict[str, NoiseRequest]":
        """No requests: a class computes its own noise."""
        return {}


def module_of(name: str, own: Own) -> "OfClass | ModuleType":
    """Load user code as the module of an algorithm.

    Raises
    ------
    Fault
        It cannot be imported, or is neither a class with `act` and `update` nor a module with the entry `ALGORITHM`.
    """
    found = loaded("algorithm", own)
    if isinstance(found, ModuleType):
        for needed in ("ALGORITHM", "OUTPUTS", "params", "run"):
            if not hasattr(found, needed):
                remedy = "Add it, or name a class with act and update, as in my_bandit.py:MyUCB."
                raise Fault("algorithm", f"got {own!r}; this module has no `{needed}`. {remedy}")
        return found
    return _of_class(name, checked(found, own))


@cache
def _of_class(name: str, rule: type) -> OfClass:
    return OfClass(name, rule)


def checked(found: Any, own: Own) -> type:
    """Return the class. Raise Fault if it is not a class, lacks a method, or has conflicting arguments."""
    if not isinstance(found, type):
        raise Fault("algorithm", f"got {own!r}, which is not a class. Use a class with act and update.")
    for method, form in METHODS.items():
        if not callable(getattr(found, method, None)):
            raise Fault("algorithm", f"`{found.__name__}` has no method `{method}`. Add {form}.")
    if _takes_contexts(found) and _by_place(found)[2:3] != ["contexts"]:
        raise Fault("algorithm", f"`{found.__name__}.act` takes `contexts` in another place. Use act(t, contexts).")
    if "oracle" in takes(found) and _takes_contexts(found):
        says = f"`{found.__name__}` takes both `oracle` and `contexts`. Leave one of them out."
        raise Fault("algorithm", says)
    return found


def kinds_of(rule: type) -> tuple[str, ...]:
    """The kinds of arms that a class plays, according to its arguments."""
    if "oracle" in takes(rule):
        return COMBINATORIAL
    return CONTEXTUAL if _takes_contexts(rule) else FIXED


def _by_place(rule: Any) -> list[str]:
    """Names of the positional arguments of `act`."""
    return [name for name, each in inspect.signature(rule.act).parameters.items() if each.kind != each.KEYWORD_ONLY]


def _takes_contexts(rule: Any) -> bool:
    return "contexts" in inspect.signature(rule.act).parameters


def cannot_play(rule: type, family: str, kind: str) -> str:
    """Error message if a class cannot play a family with this kind of arms; empty if it can."""
    if kind in kinds_of(rule):
        return ""
    return f"`{rule.__name__}` cannot be used with `{family}`. To play it, a class {TO_PLAY[kind]}."


def takes(rule: type) -> dict[str, inspect.Parameter]:
    """Arguments of the constructor of a class, by name."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    every = inspect.signature(rule).parameters.values()
    return {each.name: each for each in every if each.kind in by_name}


def required(taken: Mapping[str, inspect.Parameter]) -> list[str]:
    """The names of arguments without a default."""
    return [name for name, each in taken.items() if each.default is each.empty]


def entry_of(name: str, rule: type) -> Algorithm:
    """The entry of a class.

    Raises
    ------
    Fault
        The class declares an unknown trust model, or only one of guarantee and trust model.
    """
    model: Any = getattr(rule, "trust_model", "none")
    if model not in TRUST_MODELS:
        says = f"`{rule.__name__}.trust_model`: got {model!r}; must be one of: {', '.join(TRUST_MODELS)}"
        raise Fault("algorithm", says)
    guarantee = getattr(rule, "guarantee", "")
    if bool(guarantee) != (model != "none"):
        says = "declares only one of `trust_model` and `guarantee`. Declare both, or none without privacy."
        raise Fault("algorithm", f"`{rule.__name__}` {says}")
    taken = takes(rule)
    constants = [each for each in taken if each not in (*TOLD, "eps")]
    label = str(getattr(rule, "label", name.replace("_", " ")))
    declared = list(ALGORITHMS.own())
    return Algorithm(
        label=label,
        short=label,
        reference=f"own: {rule.__name__}",
        trust_model=model,
        guarantee=Guarantee(str(guarantee), "") if guarantee else NO_PRIVACY,
        parameters=dict.fromkeys(constants, ANY),
        optional=tuple(each for each in (*constants, "eps") if each in taken and each not in required(taken)),
        arms=kinds_of(rule),
        grid=("eps",) if "eps" in taken else (),
        outputs=OUTPUTS,
        calibrations={each: each for each in CALIBRATIONS},
        examples=(),
        look=LOOKS[(declared.index(name) if name in declared else 0) % len(LOOKS)],
    )
