"""Algorithms: one module per algorithm, in the package of its family. Modules are found automatically.

A module has these parts; `dpbandits new algorithm` writes them.

* Docstring: paper and algorithm number, the pseudo-code in your own words with lines L1..Ln, every deviation with its
  reason, the privacy guarantee with its neighboring relation, and the cost.
* `Params`: a frozen dataclass with each constant and its source, in the order of the arguments of `run`. `params`
  computes it. `requests` asks for noise if the algorithm has a calibration `certified` of its own.
* `ALGORITHM`: the entry; `base.Algorithm` explains its fields. `noise` names the functions of `privacy/mechanisms.py`
  with which `run` adds noise. Audits draw from them, so no other code may add noise. Choose examples in which half of
  the noise would change the regret, and horizons at which `run_literal` takes at most 20 ms. Set `agrees="stream"` if
  `run` and `run_literal` draw in the same order.
* `OUTPUTS`, the columns of a trace, and `run`, compiled with `base.jit.kernel`: randomness is an argument, mathematics
  is scalar, pull counts are integers, and no argument is changed. Its comments mark the lines L1..Ln. numba has no
  `float(<comparison>)`: write `int(<comparison>)`.
* `run_literal`: the round-by-round transcription with which tests compare `run`.

The tests in `tests/contracts` cover all algorithms. They check the parts and the declarations, determinism, chunks,
the growth of the regret, and `run` against its plain Python and against `run_literal`. They also halve the noise and
check what audits then find. A kernel that skips rounds needs its own test against a loop over rounds.
"""
