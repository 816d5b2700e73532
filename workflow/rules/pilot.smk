# Forecast, for each claim of a paper, the probability of a verdict by number of seeds.
rule pilot:
    input:
        tables=lambda wildcards: tables_at(wildcards.paper, PAPERS[wildcards.paper].played(SCALE)),
    output:
        f"{RESULTS}/forecasts/{{paper}}.json",
    log:
        f"logs/pilot/{SCALE}/{{paper}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/pilot/{{paper}}.tsv"
    priority: urgency("judge")
    group:
        "paper"
    conda:
        "../../environment.yml"
    resources:
        runtime=cluster.growing(cluster.minutes(cluster.SECONDS_TO_FORECAST)),
        mem_mb=cluster.growing(cluster.megabytes()),
    params:
        scale=SCALE,
        code=dependencies.digest(dependencies.pilot()),
        claims=lambda wildcards: json_digest(forecast_from(wildcards.paper)),
        tables=lambda wildcards, input: os.path.dirname(input.tables[0]),
    shell:
        "python -m dpbandits --scale {params.scale:q} pilot {wildcards.paper:q} --tables {params.tables:q} --out {output:q}"
        " > {log:q} 2>&1"
