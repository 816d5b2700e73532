rule judge:
    input:
        tables=tables_of,
        audits=f"{RESULTS}/audit/{{paper}}.json",
    output:
        f"{RESULTS}/claims/{{paper}}.json",
    log:
        f"logs/judge/{SCALE}/{{paper}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/judge/{{paper}}.tsv"
    priority: urgency("judge")
    group:
        "paper"
    conda:
        "../../environment.yml"
    resources:
        runtime=cluster.growing(lambda wildcards: cluster.to_judge(runs_judged(wildcards.paper))),
        mem_mb=cluster.growing(
            lambda wildcards: cluster.megabytes(cluster.BYTES_PER_RUN * runs_judged(wildcards.paper))
        ),
    params:
        scale=SCALE,
        code=lambda wildcards: dependencies.digest(dependencies.judge(PAPERS[wildcards.paper])),
        versions=versions(CALCULATIONS),
        claims=lambda wildcards: json_digest(claims_of(wildcards.paper)),
        tables=lambda wildcards, input: os.path.dirname(input.tables[0]),
    shell:
        "python -m dpbandits --scale {params.scale:q} judge {wildcards.paper:q} --tables {params.tables:q} --audits {input.audits:q}"
        " --out {output:q} > {log:q} 2>&1"
