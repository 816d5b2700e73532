rule judge:
    input:
        tables_of,
    output:
        f"{RESULTS}/claims/{{paper}}.json",
    params:
        code=dependencies.digest(dependencies.judge()),
        claims=lambda wildcards: json_digest(claims_of(wildcards.paper)),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.paper}",
    log:
        f"logs/judge/{SCALE}/{{paper}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/judge/{{paper}}.tsv"
    conda:
        "../../environment.yml"
    shell:
        "dpbandits --scale {config[scale]} judge {wildcards.paper} --tables {params.tables} --out {output}"
        " > {log} 2>&1"
