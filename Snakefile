include: "workflow/Snakefile"


rule replicate:
    default_target: True
    input:
        rules.all.input,
    localrule: True
