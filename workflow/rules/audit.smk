# One rule per job, as for simulate; small audits of several papers share a job.
for _number, _audits in enumerate(audits(PROJECT)):

    rule:
        name:
            f"audit_{_number}"
        output:
            [update(f"{RESULTS}/audit/cells/{key}/{name}.json") for key, name in _audits],
        log:
            f"logs/audit/{SCALE}/{_number}.log",
        benchmark:
            f"{RESULTS}/benchmarks/audit/{_number}.tsv"
        priority: urgency("audit")
        group:
            "audit"
        conda:
            "../../environment.yml"
        resources:
            runtime=cluster.growing(cluster.minutes(sum(seconds_of(PROJECT, found) for found in _audits))),
            mem_mb=cluster.growing(cluster.megabytes()),
        params:
            scale=SCALE,
            code=code_of(dependencies.audit(PAPERS[key], name) for key, name in _audits),
            versions=versions(CALCULATIONS),
            sections=json_digest(audits_of(_audits)),
            root_seed=PROJECT.root_seed,
            names=[f"{key}/{name}" for key, name in _audits],
            folder=lambda wildcards, output: str(Path(output[0]).parents[1]),
        shell:
            "python -m dpbandits --scale {params.scale:q} audit {params.names:q} --out {params.folder:q} > {log:q} 2>&1"
