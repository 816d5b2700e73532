rule simulate:
    input:
        noise=noise_of,
    output:
        runs="results/curves/{paper}/{experiment}/{curve}/seeds_{seeds}.parquet",
        checksum="results/curves/{paper}/{experiment}/{curve}/seeds_{seeds}.parquet.sha256",
    log:
        "logs/simulate/{paper}/{experiment}/{curve}/{seeds}.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate/{{paper}}/{{experiment}}/{{curve}}/{{seeds}}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=lambda wildcards: dependencies.digest(dependencies.simulate(curve_of(wildcards))),
        root_seed=PROJECT.root_seed,
        noise=lambda wildcards, input: f"--noise {input.noise}" if input.noise else "",
    shell:
        "dpbandits simulate {wildcards.paper}/{wildcards.experiment} --curve {wildcards.curve}"
        " --seeds {wildcards.seeds} {params.noise} --out {output.runs} > {log} 2>&1"
