rule calibrate:
    output:
        "results/noise/{paper}/{experiment}/{noise}.json",
    log:
        "logs/calibrate/{paper}/{experiment}/{noise}.log",
    benchmark:
        f"{RESULTS}/benchmarks/calibrate/{{paper}}/{{experiment}}/{{noise}}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=lambda wildcards: dependencies.digest(dependencies.calibrate(asking_for(wildcards))),
    shell:
        "dpbandits calibrate {wildcards.paper}/{wildcards.experiment}"
        " --noise {wildcards.noise}.json --out {output} > {log} 2>&1"
