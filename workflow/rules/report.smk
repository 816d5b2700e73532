rule report:
    input:
        claims=expand(f"{RESULTS}/claims/{{paper}}.json", paper=PAPERS),
        audits=expand(f"{RESULTS}/audit/{{paper}}.json", paper=PAPERS),
        notebooks=expand(f"{RESULTS}/notebooks/{{paper}}.html", paper=PAPERS),
        figures=[figure for paper in PAPERS for figure in figures_of(paper)],
    output:
        f"{RESULTS}/report/index.html",
    log:
        f"logs/report/{SCALE}.log",
    benchmark:
        f"{RESULTS}/benchmarks/report/report.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        scale=SCALE,
        code=dependencies.digest(dependencies.report()),
        words=json_digest([words_of(paper) for paper in PAPERS]),
    shell:
        "dpbandits --scale {params.scale} report --out {output} > {log} 2>&1"
