# Collect the records of all audits: one file per paper, and one table.
rule collect:
    input:
        [f"{RESULTS}/audit/cells/{key}/{name}.json" for key, name in sections_of(PROJECT)],
    output:
        [f"{RESULTS}/audit/{paper}.json" for paper in PAPERS],
        report(
            f"{RESULTS}/audit/all.csv",
            caption="../report/audit.rst",
            category="audit",
            subcategory="all papers",
            labels={"shows": "Claimed and actual epsilon of every mechanism"},
        ),
    log:
        f"logs/collect/{SCALE}/collect.log",
    benchmark:
        f"{RESULTS}/benchmarks/collect/collect.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=dependencies.digest(dependencies.collect()),
        names=[f"{key}/{name}" for key, name in sections_of(PROJECT)]
        + [key for key in PAPERS if not PAPERS[key].audits],
        cells=lambda wildcards, input: str(Path(input[0]).parents[1]) if input else f"{RESULTS}/audit/cells",
        folder=lambda wildcards, output: os.path.dirname(output[0]),
    shell:
        "python -m dpbandits collect {params.names:q} --cells {params.cells:q} --out {params.folder:q} > {log:q} 2>&1"
