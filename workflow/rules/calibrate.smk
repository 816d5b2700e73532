rule calibrate:
    output:
        "results/noise/{paper}.json",
    params:
        code=lambda wildcards: dependencies.digest(dependencies.calibrate(certified_of(wildcards.paper))),
        requests=lambda wildcards: json_digest(sorted(curve.folder for curve in certified_of(wildcards.paper))),
    log:
        "logs/calibrate/{paper}.log",
    benchmark:
        f"{RESULTS}/benchmarks/calibrate/{{paper}}.tsv"
    conda:
        "../../environment.yml"
    shell:
        "dpbandits --scale {config[scale]} calibrate {wildcards.paper} --out {output} > {log} 2>&1"
