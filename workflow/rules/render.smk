# The names of the figures differ from paper to paper, hence one rule each.
for _paper in PROJECT.papers:

    rule:
        name:
            f"render_{_paper}"
        input:
            notebook=f"notebooks/{_paper}.ipynb",
            tables=[f"{RESULTS}/tables/{_paper}/{name}.summary.parquet" for name in PROJECT.papers[_paper].experiments],
            claims=f"{RESULTS}/claims/{_paper}.json",
        output:
            ipynb=f"{RESULTS}/notebooks/{_paper}.ipynb",
            html=f"{RESULTS}/notebooks/{_paper}.html",
            figures=figures_of(_paper),
        params:
            code=dependencies.digest(dependencies.render()),
            words=json_digest(words_of(_paper)),
            paper=_paper,
            tables=f"{RESULTS}/tables/{_paper}",
            figures=f"{FIGURES}/{_paper}",
        log:
            f"logs/render/{SCALE}/{_paper}.log",
        benchmark:
            f"{RESULTS}/benchmarks/render/{_paper}.tsv"
        conda:
            "../../environment.yml"
        shell:
            "dpbandits --scale {config[scale]} render {params.paper} --tables {params.tables} --claims {input.claims}"
            " --figures {params.figures} --ipynb {output.ipynb} --html {output.html} > {log} 2>&1"
