include: "workflow/Snakefile"


rule replicate:
    default_target: True
    localrule: True
    input:
        rules.all.input,
