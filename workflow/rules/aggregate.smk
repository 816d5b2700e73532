rule aggregate:
    input:
        chunks_of,
    output:
        runs=f"{RESULTS}/tables/{{paper}}/{{experiment}}.parquet",
        summary=f"{RESULTS}/tables/{{paper}}/{{experiment}}.summary.parquet",
        checksums=multiext(
            f"{RESULTS}/tables/{{paper}}/{{experiment}}",
            ".parquet.sha256",
            ".summary.parquet.sha256",
        ),
    log:
        f"logs/aggregate/{SCALE}/{{paper}}/{{experiment}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/aggregate/{{paper}}/{{experiment}}.tsv"
    conda:
        "../../environment.yml"
    params:
        scale=SCALE,
        code=dependencies.digest(dependencies.aggregate()),
        folder=lambda wildcards: f"results/curves/{wildcards.paper}/{wildcards.experiment}",
    shell:
        "dpbandits --scale {params.scale} aggregate {wildcards.paper}/{wildcards.experiment}"
        " --curves {params.folder} --runs {output.runs} --summary {output.summary} > {log} 2>&1"
