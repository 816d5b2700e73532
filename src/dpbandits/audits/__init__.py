"""Audits: mechanisms with two neighboring inputs, what is true of them, and draws from them.

The steps of a new audit. `dpbandits new paper` writes steps 2 and 3 for one mechanism of each family.

1. A mechanism that is not in `mechanisms/` is a frozen dataclass in a module there, with the methods of
   `release.Release`: two calculations of its epsilon that share no code, draws by what the algorithms draw with,
   scores, and half of its noise. The lower end of a calculated epsilon is proven of this pair of inputs, the upper end
   of every pair in the domain; a bound is named for which it is.
2. A release in `papers/<key>.py` takes the amount of noise from the algorithm's own `Params` (`constants.constants_of`)
   and draws with a function that the entry of the algorithm names in `noise` (`constants.noise_of`). `run` calls the
   same function. `tests/contracts/test_noise.py` compares the two for every private algorithm and calibration, halves
   the noise, expects the audit to answer `violated`, and prints a table of all answers.
3. A section under `audits` of the paper's YAML, with target `mechanism` for every private algorithm, at each
   calibration that does not coincide with another. Its `proof` names the theorems that bound the epsilon of all
   neighbors: those of `config/theorems.py`, or the paper's own under `theorems`.
4. Tests: both calculations against independent values, draws against the algorithm's kernel in distribution, and half
   of the noise found. In an audit with target `actions`, the kernel is compared with the algorithm's `run_literal`.
"""
