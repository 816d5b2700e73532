"""Stage render: a notebook, tables and records in; the executed notebook, its page and the figures out."""

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from dpbandits.parquet import column_names, write_columns
from dpbandits.report.notebook_page import notebook_page
from dpbandits.stages.set_aside import demand_whole
from dpbandits.storage import checksum_file, write_text
from dpbandits.whole_files import copy_file

HIDDEN = {"parameters", "injected-parameters", "setup"}  # tags of cells that the page leaves out
OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)  # faults that are not the notebook's
VOLATILE = ("papermill", "execution")  # metadata with times and paths


def render(
    notebook: Path,
    title: str,
    outputs: Mapping[str, Collection[str]],
    tables: Path,
    claims: Path,
    audits: Path,
    figures: Path,
    ipynb: Path,
    html: Path,
) -> None:
    """Execute a notebook with papermill and convert it to a page that loads nothing from outside.

    Beside the figures go the tables and records that they show, in the folder `data`; of every table of runs the
    outputs that are judged.

    Parameters
    ----------
    outputs : by experiment the outputs of algorithms that are copied: regret, and what claims and measurements look at.

    Raises
    ------
    DamagedFile
        Tables are damaged; they are set aside, so that the next run makes them again.
    papermill.PapermillExecutionError
        A cell failed; the traceback is in the text.
    ChildProcessError
        The notebook's kernel died.
    OSError
        Something could not be written.
    """
    demand_whole(tables / f"{name}{kind}.parquet" for name in outputs for kind in ("", ".summary"))
    executed = execute(
        notebook,
        {
            "tables_dir": os.path.relpath(tables, notebook.parent),
            "claims_json": os.path.relpath(claims, notebook.parent),
            "audit_json": os.path.relpath(audits, notebook.parent),
            "figures_dir": os.path.relpath(figures, notebook.parent),
        },
    )
    write_text(ipynb, executed + "\n")
    write_text(html, notebook_page(title, page_of(executed)))
    shutil.rmtree(figures / "data", ignore_errors=True)
    copy_file(claims, figures / "data/claims.json")
    copy_file(audits, figures / "data/audit.json")
    for name, judged in outputs.items():
        columns = column_names(tables / f"{name}.parquet")
        labels = columns[: columns.index("seed") + 1]
        write_columns(figures / "data" / f"{name}.parquet", tables / f"{name}.parquet", {*labels, *judged})
        summary = tables / f"{name}.summary.parquet"
        for path in (checksum_file(summary), summary):
            copy_file(path, figures / "data" / path.name)


def execute(notebook: Path, parameters: Mapping[str, str]) -> str:
    """The executed notebook, as text that is the same each time. Raises as `render`."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(
            JUPYTER_PATH=str(Path(sys.prefix) / "share/jupyter"),
            JUPYTER_PREFER_ENV_PATH="1",
            IPYTHONDIR=scratch,
            MPLCONFIGDIR=scratch,
            DPBANDITS_COMPILE="0",
        )
        import nbformat
        import papermill
        from nbclient.exceptions import DeadKernelError

        try:
            executed = papermill.execute_notebook(
                str(notebook),
                None,  # or it writes the whole notebook before and after every cell
                parameters=dict(parameters),
                kernel_name="python3",
                cwd=str(notebook.parent),
                progress_bar=False,
            )
        except DeadKernelError:
            says = f"{notebook}: its kernel died, perhaps for want of memory; run again"
            raise ChildProcessError(says) from None
        except papermill.PapermillExecutionError as fault:
            if not any(f"[Errno {number}]" in fault.evalue for number in OF_DISKS):
                raise
            raise OSError(f"{notebook}: {fault.evalue}") from None
    for holder in (executed, *executed.cells):
        for key in VOLATILE:
            holder.metadata.pop(key, None)
    for number, cell in enumerate(executed.cells):
        cell["id"] = f"cell-{number:02d}"  # the injected cell's own is random
    text: str = nbformat.writes(executed)
    return text


def page_of(executed: str) -> str:
    """The body of a notebook's page."""
    import nbformat
    from nbconvert import HTMLExporter
    from traitlets.config import Config

    exporter = HTMLExporter(
        config=Config(TagRemovePreprocessor={"enabled": True, "remove_cell_tags": HIDDEN}),
        template_name="basic",
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
    )
    body: str = exporter.from_notebook_node(nbformat.reads(executed, as_version=4))[0]
    return body
