# One rule per job. Small pieces share a job, so that process start-up is a small part of the cost.
for _paper in PAPERS:
    for _number, _chunks in enumerate(SIMULATIONS[_paper]):

        rule:
            name:
                f"simulate_{_paper}_{_number}"
            input:
                noise_of(_paper, curves_in(_chunks)),
            output:
                [update(name) for name in receipts_at(_paper, receipts_of(_chunks))],
            log:
                f"logs/simulate/{SCALE}/{_paper}/{_number}.log",
            benchmark:
                f"{RESULTS}/benchmarks/simulate/{_paper}/{_number}.tsv"
            priority: urgency("simulate", seconds=seconds_uncompiled(_chunks))
            group:
                "simulate"
            conda:
                "../../environment.yml"
            resources:
                runtime=cluster.growing(cluster.to_simulate(_chunks)),
                mem_mb=cluster.growing(cluster.to_hold(curves_in(_chunks))),
            params:
                code=code_of(map(dependencies.simulate, curves_in(_chunks))),
                versions=versions(RUNS),
                root_seed=PROJECT.root_seed,
                options=OPTIONS,
                paper=_paper,
                names=[chunk.name for chunk in _chunks],
                noise=lambda wildcards, input: os.path.dirname(input[0]) if input else "results/noise",
                folder=f"{CURVES}/{_paper}",
                receipts=lambda wildcards, output: os.path.dirname(output[0]),
            shell:
                "python -m dpbandits {params.options:q} simulate {params.paper:q} {params.names:q} --noise {params.noise:q}"
                " --out {params.folder:q} --receipts {params.receipts:q} > {log:q} 2>&1"
