"""Faults of the package, each a change of one line, and the tests in `make test` that must find it.

Add a fault when you fix a defect that no test had found. The list shows what the suite protects against.
"""

from dataclasses import dataclass

CONTRACTS, UNIT, DISTRIBUTIONS = "tests/contracts", "tests/unit", "tests/statistical"


@dataclass(frozen=True)
class Fault:
    """A text in a file of `src/dpbandits`, its replacement, and the tests that then fail."""

    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def by_bits(self) -> bool:
        """Whether golden digests find the fault."""
        return self.tests[0].startswith("tests/golden")


def noise(what: str, file: str, old: str, new: str, algorithm: str) -> Fault:
    """A fault in the noise of an algorithm, which the contracts of all algorithms find."""
    return Fault(what, file, old, new, (f"{CONTRACTS}/test_noise.py", "-k", algorithm))


FAULTS = (
    # Noise
    noise(
        "half of every Laplace draw",
        "privacy/mechanisms.py",
        "return value + laplace(rng, scale)",
        "return value + laplace(rng, 0.5 * scale)",
        "anytime_lazy_ucb",
    ),
    noise(
        "half of the noise of every sum of reports",
        "privacy/mechanisms.py",
        "return value + laplace_sum(rng, scale, reports)",
        "return value + 0.5 * laplace_sum(rng, scale, reports)",
        "phased_elimination_local",
    ),
    noise(
        "half of every normal draw",
        "privacy/mechanisms.py",
        "return value + times * sd * rng.standard_normal()",
        "return value + 0.5 * times * sd * rng.standard_normal()",
        "linucb_ldp",
    ),
    noise(
        "a quarter of the noise bits",
        "algorithms/linucb/protocol.py",
        "rng.binomial(users * bits, ONES) if bits > 0",
        "rng.binomial(users * (bits // 4), ONES) if bits > 0",
        "linucb_sdp_vec-certified",
    ),
    noise(
        "twice the epsilon in the l2 ball",
        "privacy/l2_ball.py",
        "meant = rng.random() < keep",
        "meant = rng.random() < keep**2 / (keep**2 + (1.0 - keep) ** 2)",
        "ldp_sgd-certified",
    ),
    noise(
        "half of the noise, in the kernel alone",
        "algorithms/bernoulli/private_means.py",
        "rng.binomial(pulls, mean), noise_scale(eps))",
        "rng.binomial(pulls, mean), 0.5 * noise_scale(eps))",
        "anytime_lazy_ucb",
    ),
    noise(
        "no noise, in the kernel alone",
        "algorithms/phased_elimination/phased_elimination_central.py",
        "sums[k] = add_laplace(rng, sums[k], noise_scale)",
        "sums[k] = sums[k]",
        "phased_elimination_central-",
    ),
    noise(
        "noise of a report for one arm only",
        "algorithms/semi_bandit/cucb_ldp1.py",
        "y = add_laplace(rng, x, K * scale)",
        "y = add_laplace(rng, x, 0.5 * K * scale)",
        "cucb_ldp1",
    ),
    Fault(
        "no noise in the entry of a private algorithm",
        "algorithms/linucb/linucb_ldp.py",
        "    noise=(GAUSSIAN_NOISE,),\n",
        "",
        (f"{CONTRACTS}/test_trust_model.py", "-k", "linucb_ldp"),
    ),
    Fault(
        "a local algorithm that trusts a server",
        "algorithms/semi_bandit/cucb_ldp2.py",
        'trust_model="local"',
        'trust_model="central"',
        (f"{CONTRACTS}/test_trust_model.py", "-k", "cucb_ldp2"),
    ),
    Fault(
        "a variant without noise that is called private",
        "algorithms/glm_single/ldp_ols.py",
        '    without_privacy=("nonprivate",),\n',
        "",
        (f"{CONTRACTS}/test_trust_model.py", "-k", "variant"),
    ),
    Fault(
        "a color guessed from the name of a curve",
        "text/names.py",
        "return BOUND if isinstance(entry, Bound) else entry.trust_model_of(variant)",
        'return BOUND if isinstance(entry, Bound) else "local" if "local" in curve else "central"',
        (f"{UNIT}/test_pens.py",),
    ),
    Fault(
        "audits are not drawn again with another noise",
        "base/digests.py",
        'COUNTED = ("noise",)',
        "COUNTED = ()",
        (f"{UNIT}/test_digests.py",),
    ),
    # Kernels
    Fault(
        "mean over half of the batch",
        "algorithms/bernoulli/private_means.py",
        "return noised_sum(rng, mean, pulls, eps) / pulls",
        "return noised_sum(rng, mean, pulls, eps) / (pulls + 1)",
        ("tests/golden/test_golden_digests.py", "-k", "golden_digest and anytime_lazy_ucb"),
    ),
    Fault(
        "crossing of two indices missed",
        "algorithms/bernoulli/anytime_lazy_ucb.py",
        "return second if second > now else math.inf",
        "return math.inf",
        (f"{UNIT}/test_anytime_lazy_ucb.py",),
    ),
    Fault(
        "another width of a core set",
        "algorithms/phased_elimination/phased_elimination_local.py",
        "spread = 2.0 * d",
        "spread = 2.5 * d",
        ("tests/golden/test_golden_digests.py", "-k", "golden_digest and phased_elimination_local"),
    ),
    Fault(
        "ridge forgotten in least squares",
        "algorithms/shared/noisy_least_squares.py",
        "work[i, i] = gram[i, i] + shift",
        "work[i, i] = gram[i, i]",
        ("tests/golden/test_golden_digests.py", "-k", "golden_digest and ldp_ols_estimate"),
    ),
    Fault(
        "ties go to the first arm",
        "algorithms/shared/ties.py",
        "left = rng.integers(0, equal)",
        "left = 0 * rng.integers(0, equal)",
        ("tests/golden/test_golden_digests.py", "-k", "golden_digest and (ucb1 or leader)"),
    ),
    # Streams, checkpoints, statistics
    Fault(
        "seeds share one stream",
        "base/streams.py",
        "*(int(np.uint32(index)) for index in indices))",
        "*(int(np.uint32(index)) for index in indices[1:]))",
        (f"{UNIT}/test_streams.py",),
    ),
    Fault(
        "the last round is not a checkpoint",
        "base/checkpoints.py",
        "rounds = {horizon}",
        "rounds = {max(1, horizon - 1)}",
        (f"{UNIT}/test_checkpoints.py",),
    ),
    Fault(
        "intervals of 90 %",
        "numerics/statistics.py",
        "statistic.influence.size - 1, (1 + level) / 2)",
        "statistic.influence.size - 1, level)",
        (f"{UNIT}/test_statistics.py",),
    ),
    Fault(
        "p-values are not corrected",
        "numerics/statistics.py",
        "p[order] * np.arange(p.size, 0, -1)",
        "p[order] * 1",
        (f"{UNIT}/test_statistics.py",),
    ),
    # Privacy
    Fault(
        "bound on epsilon without delta",
        "privacy/auditing.py",
        "epsilon = float(event_epsilon(hits, errors, trials, delta, alpha))",
        "epsilon = float(event_epsilon(hits, errors, trials, 0.0, alpha))",
        (f"{UNIT}/test_auditing.py",),
    ),
    Fault(
        "kinds of candidates do not share alpha",
        "audits/custom/evidence.py",
        "share = len(first) - half, alpha / len(KINDS)",
        "share = len(first) - half, alpha",
        (f"{UNIT}/test_own_audit.py",),
    ),
    Fault(
        "the runs that choose an event also bound it",
        "audits/custom/scores.py",
        "return self.first[half:], self.second[half:]",
        "return self.first[:half], self.second[:half]",
        (f"{UNIT}/test_own_audit.py",),
    ),
    Fault(
        "guesses at delta are bounded as at delta 0",
        "audits/custom/bounds.py",
        "most = revealed(number, delta, alpha / 2)",
        "most = 0",
        (f"{UNIT}/test_own_audit_candidates.py",),
    ),
    Fault(
        "certified Laplace noise a hundredth too small",
        "privacy/accounting.py",
        "return sensitivity / (",
        "return 0.99 * sensitivity / (",
        (f"{UNIT}/test_accounting.py",),
    ),
    # Verdicts
    Fault(
        "verdicts on four seeds",
        "claims/judgements.py",
        "FEWEST_SEEDS = 8",
        "FEWEST_SEEDS = 4",
        (f"{UNIT}/test_verdicts.py",),
    ),
    Fault(
        "each of many comparisons may fail by its own limit",
        "claims/verdicts.py",
        "limits(statistic, ALPHA / len(set(sets)), samples)",
        "limits(statistic, ALPHA, samples)",
        (f"{UNIT}/test_verdicts.py",),
    ),
    Fault(
        "each of many alternatives may hold by its own limit",
        "claims/verdicts.py",
        "limits(statistic, ALPHA / sets.count(key), samples)",
        "limits(statistic, ALPHA, samples)",
        (f"{UNIT}/test_verdicts.py",),
    ),
    Fault(
        "seeds are asked for until the nearer bound is met, though the other is met last",
        "claims/forecasts.py",
        "bounds = [low, high] if",
        "bounds = [low if estimate - low < high - estimate else high] if",
        (f"{UNIT}/test_verdicts.py",),
    ),
    Fault(
        "a count that may not fail yet asks for the seeds that it has",
        "claims/forecasts.py",
        "exact_share(events, runs, alpha)[0] > count.rate",
        "exact_share(events, runs, ALPHA)[0] > count.rate",
        (f"{UNIT}/test_verdicts.py",),
    ),
    Fault(
        "of alternatives the nearest says where a verdict flips",
        "claims/verdicts.py",
        "min(max(j.interval.low for j in alternatives) for",
        "min(nearest_to_holding(alternatives).interval.low for",
        (f"{UNIT}/test_verdicts.py",),
    ),
    Fault(
        "the tail of a curve is that of its printed runs",
        "claims/pools.py",
        "own = self.rows(algorithm, calibration, variant)",
        'own = self.rows(algorithm, "printed", variant)',
        (f"{UNIT}/test_samples.py",),
    ),
    # Files
    Fault(
        "a job that a scheduler refused is left without a word of what to do",
        "planning/failed_jobs.py",
        "yield REMEDY",
        "pass",
        (f"{UNIT}/test_failed_jobs.py",),
    ),
    Fault(
        "checksums are not compared",
        "base/storage.py",
        "if kept != found:",
        "if not kept:",
        (f"{UNIT}/test_storage.py",),
    ),
    Fault(
        "temporary files of others are deleted",
        "base/storage.py",
        r'rf"\.{re.escape(target.name)}\.\d+\.{PARTIAL}"',
        r'rf"\.{target.name}\..*"',
        (f"{UNIT}/test_whole_files.py", f"{UNIT}/test_out.py"),
    ),
    Fault(
        "devices are replaced",
        "base/storage.py",
        "if path.exists() and not path.is_file():",
        "if path.is_dir():",
        (f"{UNIT}/test_whole_files.py", "-k", "regular"),
    ),
    Fault(
        "folders of others are replaced",
        "base/storage.py",
        "if foreign is not None:",
        "if foreign is None and record == out:",
        (f"{UNIT}/test_whole_files.py",),
    ),
    Fault(
        "runs of older code are taken for new ones",
        "stages/simulate.py",
        '"source": source,',
        '"source": "",',
        (f"{UNIT}/test_simulate_stage.py",),
    ),
    Fault(
        "a changed constant leaves the source digest as it is",
        "base/digests.py",
        "return ascii(node)",
        'return ""',
        (f"{UNIT}/test_digests.py",),
    ),
    Fault(
        "planning keeps what it found before a file was changed",
        "planning/planning_cache.py",
        "read = {**dependencies.own_files(), **planning.files}",
        "read = dict(_files(planning.root, list(dependencies.own_files())))",
        (f"{UNIT}/test_remembered.py",),
    ),
    Fault(
        "planning forgets the own code of papers that a run leaves out",
        "planning/planning_cache.py",
        "own = sorted({*planning.own, *dependencies.own_files()})",
        "own = sorted(dependencies.own_files())",
        (f"{UNIT}/test_own_code.py", "-k", "after_a_plan"),
    ),
    Fault(
        "temporary files on NFS are deleted while they are written",
        "base/storage.py",
        "descriptor = os.open(_lock_of(path), os.O_RDWR)",
        "descriptor = os.open(_lock_of(path), os.O_RDONLY)",
        (f"{UNIT}/test_whole_files.py",),
    ),
    Fault(
        "claims are computed again from a damaged certificate",
        "cli/certificates.py",
        "whole(place)",
        "pass",
        (f"{UNIT}/test_certificate.py", "-k", "damaged_certificate"),
    ),
)
