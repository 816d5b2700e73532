rule aggregate:
    input:
        chunks_of,
    output:
        runs=f"{RESULTS}/tables/{{paper}}/{{experiment}}.parquet",
        summary=f"{RESULTS}/tables/{{paper}}/{{experiment}}.summary.parquet",
        checksums=multiext(f"{RESULTS}/tables/{{paper}}/{{experiment}}", ".parquet.sha256", ".summary.parquet.sha256"),
    params:
        code=dependencies.digest(dependencies.aggregate()),
        folder=lambda wildcards: f"results/curves/{wildcards.paper}/{wildcards.experiment}",
    log:
        f"logs/aggregate/{SCALE}/{{paper}}/{{experiment}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/aggregate/{{paper}}/{{experiment}}.tsv"
    conda:
        "../../environment.yml"
    shell:
        "dpbandits --scale {config[scale]} aggregate {wildcards.paper}/{wildcards.experiment}"
        " --curves {params.folder} --runs {output.runs} --summary {output.summary} > {log} 2>&1"
