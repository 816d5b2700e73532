rule certificate:
    input:
        claims=expand(f"{RESULTS}/claims/{{paper}}.json", paper=PAPERS),
        audits=expand(f"{RESULTS}/audit/{{paper}}.json", paper=PAPERS),
        audit_table=f"{RESULTS}/audit/all.csv",
        notebooks=[f"{RESULTS}/notebooks/{paper}.{kind}" for paper in PAPERS for kind in ("ipynb", "html")],
        report=f"{RESULTS}/report",
        pictures=rules.report.output.pictures,
        sources=sources(PROJECT),
    output:
        folder=directory(f"{RESULTS}/certificate"),
        manifest=update(f"{FIGURES}/{CHECKSUMS}"),  # with the data of papers that are not in this run
    log:
        f"logs/certificate/{SCALE}.log",
    benchmark:
        f"{RESULTS}/benchmarks/certificate/certificate.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        scale=SCALE,
        papers=CHOSEN,
        code=dependencies.digest(dependencies.certificate()),
        package=dependencies.everything(),
    shell:
        "python -m dpbandits --scale {params.scale:q} --papers {params.papers:q} certificate --out {output.folder:q} > {log:q} 2>&1"
