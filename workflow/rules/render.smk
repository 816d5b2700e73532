# One rule per paper, because the names of the tables differ between papers.
for _paper in PAPERS:

    rule:
        name:
            f"render_{_paper}"
        input:
            notebook=own_notebook(_paper),
            tables=tables_at(_paper, PAPERS[_paper].experiments),
            claims=f"{RESULTS}/claims/{_paper}.json",
            audits=f"{RESULTS}/audit/{_paper}.json",
        output:
            ipynb=f"{RESULTS}/notebooks/{_paper}.ipynb",
            html=report(
                f"{RESULTS}/notebooks/{_paper}.html",
                caption="../report/notebook.rst",
                category=_paper,
                subcategory="notebook",
                labels={"shows": in_snakemake_report(PAPERS[_paper].title)},
            ),
            data=data_of(_paper),
        log:
            f"logs/render/{SCALE}/{_paper}.log",
        benchmark:
            f"{RESULTS}/benchmarks/render/{_paper}.tsv"
        priority: urgency("render", _paper)
        group:
            "paper"
        conda:
            "../../environment.yml"
        resources:
            runtime=cluster.growing(cluster.minutes(cluster.SECONDS_TO_RENDER)),
            mem_mb=cluster.growing(cluster.megabytes()),
        params:
            scale=SCALE,
            code=dependencies.digest(dependencies.render(PAPERS[_paper], generated=not own_notebook(_paper))),
            words=json_digest(words_of(_paper)),
            paper=_paper,
            tables=lambda wildcards, input: os.path.dirname(input.tables[0]),
            figures=lambda wildcards, output: str(Path(output.data[0]).parents[1]),
        shell:
            "python -m dpbandits --scale {params.scale:q} render {params.paper:q} --tables {params.tables:q} --claims {input.claims:q}"
            " --audits {input.audits:q}"
            " --figures {params.figures:q} --ipynb {output.ipynb:q} --html {output.html:q} > {log:q} 2>&1"
