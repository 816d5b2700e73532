# One rule per job: the files of a job depend on the configuration.
for _paper in PAPERS:
    for _number, _curves in enumerate(calibrations(PROJECT, PAPERS[_paper])):

        rule:
            name:
                f"calibrate_{_paper}_{_number}"
            output:
                [update(name) for name in noise_of(_paper, _curves)],
            log:
                f"logs/calibrate/{SCALE}/{_paper}/{_number}.log",
            benchmark:
                f"{RESULTS}/benchmarks/calibrate/{_paper}/{_number}.tsv"
            priority: urgency("calibrate", _paper)
            group:
                "calibrate"
            conda:
                "../../environment.yml"
            resources:
                runtime=cluster.growing(cluster.to_calibrate(_curves)),
                mem_mb=cluster.growing(cluster.megabytes()),
            params:
                code=code_of(dependencies.calibrate(curve) for curve in _curves),
                versions=versions(CALCULATIONS),
                options=OPTIONS,
                paper=_paper,
                names=[curve.noise_name for curve in _curves],
                folder=lambda wildcards, output: os.path.dirname(output[0]),
            shell:
                "python -m dpbandits {params.options:q} calibrate {params.paper:q} {params.names:q} --out {params.folder:q}"
                " > {log:q} 2>&1"
