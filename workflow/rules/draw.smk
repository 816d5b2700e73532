# One rule per job, because the names of the figures differ.
for _paper in PAPERS:
    for _number, _names in enumerate(pictures(PROJECT, PAPERS[_paper])):

        rule:
            name:
                f"draw_{_paper}_{_number}"
            input:
                tables=summaries_at(_paper, PAPERS[_paper].shown_by(_names)),
                claims=f"{RESULTS}/claims/{_paper}.json",
                audits=f"{RESULTS}/audit/{_paper}.json",
            output:
                pictures_of(_paper, _names),
            log:
                f"logs/draw/{SCALE}/{_paper}/{_number}.log",
            benchmark:
                f"{RESULTS}/benchmarks/draw/{_paper}/{_number}.tsv"
            priority: urgency("draw", _paper)
            group:
                "paper"
            conda:
                "../../environment.yml"
            resources:
                runtime=cluster.growing(cluster.minutes(cluster.SECONDS_TO_RENDER)),
                mem_mb=cluster.growing(cluster.megabytes()),
            params:
                scale=SCALE,
                code=dependencies.digest(dependencies.draw(PAPERS[_paper])),
                words=json_digest(captions_of(_paper)),
                paper=_paper,
                names=_names,
                tables=lambda wildcards, input: (
                    os.path.dirname(input.tables[0]) if input.tables else f"{RESULTS}/tables"
                ),
                figures=lambda wildcards, output: os.path.dirname(output[0]),
            shell:
                "python -m dpbandits --scale {params.scale:q} draw {params.paper:q} {params.names:q} --tables {params.tables:q}"
                " --claims {input.claims:q} --audits {input.audits:q} --out {params.figures:q} > {log:q} 2>&1"
