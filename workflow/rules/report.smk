rule report:
    input:
        claims=expand(f"{RESULTS}/claims/{{paper}}.json", paper=PAPERS),
        audits=expand(f"{RESULTS}/audit/{{paper}}.json", paper=PAPERS),
        audit_table=f"{RESULTS}/audit/all.csv",
        notebooks=expand(f"{RESULTS}/notebooks/{{paper}}.html", paper=PAPERS),
        figures=[figure for paper in PAPERS for figure in figures_of(paper)],
        ratios=ratios(PROJECT),
    output:
        site=directory(f"{RESULTS}/report"),
        pictures=[
            report(
                f"{FIGURES}/claims.svg",
                caption="../report/claims.rst",
                category="verdicts",
                subcategory="all papers",
                labels={"shows": "Every verdict on every claim"},
            ),
            f"{FIGURES}/claims.png",
            report(
                f"{FIGURES}/speed.svg",
                caption="../report/speed.rst",
                category="speed",
                subcategory="all kernels",
                labels={"shows": "Speed of the kernels beside others"},
            ),
            f"{FIGURES}/speed.png",
            report(
                f"{FIGURES}/growth.svg",
                caption="../report/growth.rst",
                category="speed",
                subcategory="all kernels",
                labels={"shows": "How the cost of the kernels grows"},
            ),
            f"{FIGURES}/growth.png",
        ],
    log:
        f"logs/report/{SCALE}.log",
    benchmark:
        f"{RESULTS}/benchmarks/report/report.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        scale=SCALE,
        root_seed=PROJECT.root_seed,
        code=dependencies.digest(dependencies.report()),
        words=json_digest([words_of(paper) for paper in PAPERS]),
    shell:
        "dpbandits --scale {params.scale} report --out {output.site} > {log} 2>&1"
