rule report:
    input:
        claims=expand(f"{RESULTS}/claims/{{paper}}.json", paper=PAPERS),
        audits=expand(f"{RESULTS}/audit/{{paper}}.json", paper=PAPERS),
        audit_table=f"{RESULTS}/audit/all.csv",
        tables=[name for paper in PAPERS for name in summaries_at(paper, PAPERS[paper].shown_by(PAPERS[paper].figures))],
        notebooks=expand(f"{RESULTS}/notebooks/{{paper}}.html", paper=PAPERS),
        figures=[name for paper in PAPERS for name in figures_of(paper)],
        ratios=ratios(PROJECT),
    output:
        site=directory(f"{RESULTS}/report"),
        pictures=pictures_together(),
    log:
        f"logs/report/{SCALE}.log",
    benchmark:
        f"{RESULTS}/benchmarks/report/report.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        scale=SCALE,
        papers=CHOSEN,
        root_seed=PROJECT.root_seed,
        # Functions, so that nothing is read at the start of a job on a cluster node, which knows only its own papers.
        code=lambda wildcards: dependencies.digest(dependencies.report(PAPERS.values())),
        documents=lambda wildcards: json_digest({name: file_digest(path) for name, path in documents(PROJECT).items()}),
        words=lambda wildcards: json_digest([words_of(paper) for paper in PAPERS]),
    shell:
        "python -m dpbandits --scale {params.scale:q} --papers {params.papers:q} report --out {output.site:q} > {log:q} 2>&1"
