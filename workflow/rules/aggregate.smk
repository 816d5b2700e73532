# One rule per job, as for simulate.
for _paper in PAPERS:
    for _number, _experiments in enumerate(aggregations(PROJECT, PAPERS[_paper])):
        _numbers = sum(numbers_of(PROJECT, PAPERS[_paper], name) for name in _experiments)

        rule:
            name:
                f"aggregate_{_paper}_{_number}"
            input:
                runs=runs_of(_paper, _experiments),
                noise=noise_of(_paper, curves_of(_paper, _experiments)),
            output:
                tables_at(_paper, _experiments),
            log:
                f"logs/aggregate/{SCALE}/{_paper}/{_number}.log",
            benchmark:
                f"{RESULTS}/benchmarks/aggregate/{_paper}/{_number}.tsv"
            priority: urgency("aggregate", _paper)
            group:
                "paper"
            conda:
                "../../environment.yml"
            threads: readers(PROJECT, _numbers)
            resources:
                runtime=cluster.growing(cluster.to_aggregate(_numbers)),
                mem_mb=cluster.growing(cluster.to_hold(curves_of(_paper, _experiments), readers(PROJECT, _numbers))),
            params:
                scale=SCALE,
                code=code_of([dependencies.aggregate(curves_of(_paper, _experiments))]),
                versions=versions(RUNS),
                bounds=bounds_of(_paper, _experiments),
                paper=_paper,
                names=_experiments,
                traced=[list(PAPERS[_paper].experiments[name].traced or []) for name in _experiments],
                curves=f"{CURVES}/{_paper}",
                noise=lambda wildcards, input: os.path.dirname(input.noise[0]) if input.noise else "results/noise",
                tables=lambda wildcards, output: os.path.dirname(output[0]),
            shell:
                "python -m dpbandits --scale {params.scale:q} aggregate {params.paper:q} {params.names:q} --curves {params.curves:q}"
                " --noise {params.noise:q} --out {params.tables:q} --threads {threads} > {log:q} 2>&1"
