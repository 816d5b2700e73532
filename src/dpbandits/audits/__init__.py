"""Audits: mechanisms on two neighboring inputs, with their calculated epsilons and draws of their output.

Steps for a new audit (`dpbandits new paper` writes steps 2 and 3 for one mechanism of each family):

1. Add a mechanism that is missing in `mechanisms/` as a frozen dataclass with the methods of `release.Release`: two
   calculations of its epsilon, if possible without common code, draws by the functions that the algorithms use,
   scores, and a copy with half the noise. The lower end of a calculated epsilon is proven for this pair of inputs, the
   upper end for every pair in the domain.
2. Add a release in `papers/<key>.py`. It takes the amount of noise from the algorithm's `Params`
   (`constants.constants_of`) and draws with a function that the algorithm's entry names in `noise`
   (`constants.noise_of`); `run` calls the same function. `tests/contracts/test_noise.py` compares the two for every
   private algorithm and calibration, halves the noise, and prints which audits then answer `violated`.
3. Add a section under `audits` in the paper's YAML, with target `mechanism` for every private algorithm, at each
   calibration that does not coincide with another. Its `proof` names the theorems that bound the epsilon of all
   neighbors, from `config/theorems.py` or from `theorems` in the paper's YAML.
4. Add tests: compare both calculations with independent values and the distribution of draws with the algorithm's
   kernel, and check that half the noise is detected. For target `actions`, compare the kernel with `run_literal`.
"""
