"""Every entry in the table of algorithms: what it declares, and what its module and its examples must have."""

import dataclasses
import inspect
from collections.abc import Iterator, Mapping

import pytest

from dpbandits.algorithms.base import TRUST_MODELS, Algorithm, Domain, Example, Range
from dpbandits.algorithms.registry import TABLE
from dpbandits.config.grid import curves
from dpbandits.environments.registry import TABLE as FAMILIES
from tests.shipped import PAPERS, shipped

from .runs import constants, instance, module, setting

every = pytest.mark.parametrize("name", TABLE)


def test_an_entry_cannot_omit_what_it_must_declare():
    required = {
        each.name
        for each in dataclasses.fields(Algorithm)
        if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    }
    assert required >= {"trust_model", "guarantee", "outputs", "calibrations", "examples"}


@every
def test_trust_model_guarantee_and_neighboring_relation_are_declared(name):
    entry = TABLE[name]
    assert entry.trust_model in TRUST_MODELS
    assert entry.private == bool(entry.guarantee.neighbors)
    assert entry.private == (entry.guarantee.statement.partition(":")[0] != "none")


@every
def test_the_module_has_the_agreed_parts(name):
    found, entry = module(name), TABLE[name]
    assert found.Params.__dataclass_params__.frozen
    assert entry.outputs == found.OUTPUTS
    assert entry.outputs[0] == "regret"
    assert len(set(entry.outputs)) == len(entry.outputs)
    assert list(inspect.signature(found.params).parameters) == ["calibration", "setting", "noise"]
    fields = [field.name for field in dataclasses.fields(found.Params)]
    for function in (getattr(found.run, "py_func", found.run), found.run_literal):
        first, *between, last = inspect.signature(function).parameters
        assert (first, last) == ("rng", "checkpoints")
        assert between[len(instance(name, 0)) :] == fields


@every
def test_calibrations_coincide_with_own_ones(name):
    entry = TABLE[name]
    assert set(entry.calibrations.values()) == set(entry.own_calibrations())
    asks = hasattr(module(name), "requests")
    assert asks == (entry.private and "certified" in entry.own_calibrations())


# Examples


@every
def test_there_are_examples_of_every_calibration(name):
    entry = TABLE[name]
    assert len(entry.examples) >= 2
    assert {example.calibration for example in entry.examples} == set(entry.own_calibrations())


@every
def test_examples_give_what_the_entry_declares_and_nothing_else(name):
    entry = TABLE[name]
    for example in entry.examples:
        family = FAMILIES[str(example.environment["family"])]
        assert set(example.environment) == {"family", *family.arguments}
        assert entry.plays(family.arms)
        assert set(example.setting) == {*entry.parameters, *entry.grid}
        for key, span in entry.parameters.items():
            assert span.allows(example.setting[key]), f"{key} must be {span}"
        assert set(example.noise) == set(requests(name, example, setting(name, example)))
        constants(name, example)


class Read(dict[str, float]):
    """A setting that notes which of its values are read."""

    def __init__(self, values: Mapping[str, float]) -> None:
        super().__init__(values)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> float:
        self.names.add(name)
        return super().__getitem__(name)


def requests(name: str, example: Example, given: Mapping[str, float]) -> Mapping[str, object]:
    """The noise for which the module asks."""
    found: Mapping[str, object] = {}
    if example.calibration == "certified" and hasattr(module(name), "requests"):
        found = module(name).requests(given)
    return found


def neighbors(example: Example, spans: Mapping[str, Domain]) -> Iterator[dict[str, float]]:
    """The example's setting, and those with one whole number changed: each value of a switch, and 0 and 1 of others."""
    yield {}
    for key, span in spans.items():
        values = (*(span.low + step for step in range(3)), span.null) if isinstance(span, Range) else (0.0, 1.0, 2.0)
        known = (value for value in values if value is not None and span.whole and span.allows(value))
        yield from ({key: value} for value in known)


@every
def test_every_parameter_is_read_and_nothing_that_is_not_declared(name):
    """In some example, or beside one: some parameters are read only where a switch is on."""
    entry, read = TABLE[name], set()
    for example in entry.examples:
        for changes in neighbors(example, entry.parameters):
            given = Read({**setting(name, example), **changes})
            noise = dict.fromkeys(requests(name, example, given), 1.0)
            module(name).params(example.calibration, given, noise)
            read |= given.names
    assert read >= {*entry.parameters, *entry.grid}


@pytest.mark.parametrize("scale", ["smoke", "quick", "full"])
@pytest.mark.parametrize("paper", PAPERS)
def test_every_curve_has_its_constants(paper, scale):
    """At every point of every scale, from what the experiment, its entry and its environment give."""
    project = shipped(scale)
    for experiment in project.papers[paper].experiments:
        for curve in curves(project, project.papers[paper], experiment):
            if curve.bound:
                continue
            found = module(curve.algorithm)
            for given in curve.settings():
                noise = dict.fromkeys(found.requests(given), 1.0) if curve.calibration == "certified" else {}
                assert dataclasses.is_dataclass(found.params(curve.calibration, given, noise)), curve.folder
