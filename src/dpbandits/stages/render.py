"""Stage render: execute a paper's notebook, convert it to a page, and copy the data that it shows."""

import errno
import os
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpbandits.base.parquet import column_names, own, write_columns
from dpbandits.base.storage import checksum_file, copy_file, write_checksum, write_text
from dpbandits.config.loading import Paper
from dpbandits.report.notebook_page import notebook_page
from dpbandits.stages.quarantine import demand_whole

HIDDEN = {"parameters", "injected-parameters"}  # tags of cells that the page omits
OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)  # errors of the disk, not of the notebook
START_SECONDS = 600  # a kernel may start slowly on a busy machine
VOLATILE = ("papermill", "execution")  # metadata that hold times and paths
GRAMMAR = "rfc3987_syntax"
"""Checks addresses for jsonschema, where it is installed. No notebook has any, and loading it takes a second."""
STARTUP = "profile_default/startup/draw_once.py"
DRAW_ONCE = """from matplotlib.backends.backend_agg import FigureCanvasAgg

FigureCanvasAgg.draw_idle = lambda canvas: None
"""
"""Run by the kernel at its start. pyplot would draw each figure after its cell, before Jupyter draws it to show it."""


def render(
    notebook: Path,
    paper: Paper,
    outputs: Mapping[str, Collection[str]],
    tables: Path,
    claims: Path,
    audits: Path,
    figures: Path,
    ipynb: Path,
    html: Path,
    generated: Any = None,
) -> None:
    """Execute the notebook of a paper with papermill, and convert it to a page that loads no other file.

    The notebook reads the tables and records; its parameter `folders` gives their paths. Copies go to the folder
    `data` beside the figures. Copies of tables of runs hold only the outputs that are judged.

    Parameters
    ----------
    notebook : the notebook file; if it does not exist, `generated` is executed in its place.
    outputs : experiment -> the outputs to copy: regret, and the outputs that claims and measurements use.

    Raises
    ------
    DamagedFile
        Tables are damaged. They are quarantined, so that the next run recomputes them.
    papermill.PapermillExecutionError
        A cell failed; the message holds the traceback.
    ChildProcessError
        The notebook's kernel died.
    OSError
        Something could not be written.
    """
    demand_whole(tables / f"{name}{kind}.parquet" for name in outputs for kind in ("", ".summary"))
    for path in (ipynb, html, figures / "data"):
        path.parent.mkdir(parents=True, exist_ok=True)  # now, as the notebook takes long
    paths = {"tables": tables, "claims": claims, "audits": audits}
    notebook.parent.mkdir(exist_ok=True)  # the folder is missing if no paper has its own notebook
    folders = {name: os.path.relpath(path, notebook.parent) for name, path in paths.items()}
    executed = execute(notebook, {"folders": folders}, generated)
    write_text(ipynb, executed + "\n")
    write_text(html, notebook_page(paper.title, page_of(executed)))
    remove_others(figures / "data", outputs)
    for source, name in ((claims, "claims.json"), (audits, "audit.json")):
        copy_file(source, figures / "data" / name)
        write_checksum(figures / "data" / name)
    for name, judged in outputs.items():
        columns = column_names(tables / f"{name}.parquet")
        labels = columns[: columns.index("seed") + 1]
        write_columns(figures / "data" / f"{name}.parquet", tables / f"{name}.parquet", {*labels, *judged})
        summary = tables / f"{name}.summary.parquet"
        for path in (checksum_file(summary), summary):
            copy_file(path, figures / "data" / path.name)


def remove_others(folder: Path, experiments: Collection[str]) -> None:
    """Delete from `folder` the tables, copied by earlier runs, of experiments that no longer exist; nothing else."""
    for path in folder.glob("*.parquet"):
        if path.name.removesuffix(".parquet").removesuffix(".summary") not in experiments and own(path):
            path.unlink()
            checksum_file(path).unlink(missing_ok=True)


def execute(notebook: Path, parameters: Mapping[str, Any], generated: Any = None) -> str:
    """The executed notebook, or the executed generated one, as reproducible text; raises like `render`."""
    with tempfile.TemporaryDirectory() as scratch, environment_of_kernel(scratch):
        write_text(Path(scratch) / STARTUP, DRAW_ONCE)
        with without(GRAMMAR):
            import nbformat
        import papermill
        from nbclient.exceptions import DeadKernelError
        from traitlets.config import Config

        try:
            executed = papermill.execute_notebook(
                str(notebook) if generated is None else generated,
                None,  # otherwise papermill writes the whole notebook before and after every cell
                parameters=dict(parameters),
                kernel_name="python3",
                cwd=str(notebook.parent),
                progress_bar=False,
                start_timeout=START_SECONDS,
                config=Config(KernelManager=connection(scratch)),
            )
        except DeadKernelError:
            says = f"{notebook}: its kernel died, perhaps for lack of memory. Free memory and run again."
            raise ChildProcessError(says) from None
        except papermill.PapermillExecutionError as fault:
            if not any(f"[Errno {number}]" in fault.evalue for number in OF_DISKS):
                raise
            raise OSError(f"{notebook}: {fault.evalue}") from None
    for holder in (executed, *executed.cells):
        for key in VOLATILE:
            holder.metadata.pop(key, None)
    for number, cell in enumerate(executed.cells):
        cell["id"] = f"cell-{number:02d}"  # papermill gives the injected cell a random id
        if cell.cell_type == "code":
            cell["outputs"] = without_warnings(cell.outputs)
    text: str = nbformat.writes(executed)
    return text


def without_warnings(outputs: Iterable[Any]) -> list[Any]:
    """The outputs of a cell without its standard error, such as machine-specific warnings, which goes to the log.

    Text printed before and after a warning becomes one output, as if there had been no warning.
    """
    kept: list[Any] = []
    for output in outputs:
        name = output.get("name") if output["output_type"] == "stream" else None
        if name == "stderr":
            print(output["text"], end="", file=sys.stderr)
        elif name and kept and kept[-1].get("name") == name:
            kept[-1]["text"] += output["text"]
        else:
            kept.append(output)
    return kept


@contextmanager
def environment_of_kernel(scratch: str) -> Iterator[None]:
    """Set the environment variables that a kernel starts with; restores the old ones at the end."""
    before = dict(os.environ)
    os.environ.update(
        JUPYTER_PATH=str(Path(sys.prefix) / "share/jupyter"),
        JUPYTER_PREFER_ENV_PATH="1",
        IPYTHONDIR=scratch,
        MPLCONFIGDIR=scratch,
        MPLBACKEND="module://matplotlib_inline.backend_inline",  # the user's backend may show nothing
        DPBANDITS_COMPILE="0",
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def connection(folder: str) -> dict[str, str]:
    """Connection settings of a kernel: sockets in `folder`, or network ports if its path is too long for a socket.

    Jupyter chooses ports before it binds them, so two kernels that start at once can choose the same port.
    """
    import zmq

    sockets = f"{folder}/kernel"
    return {"transport": "ipc", "ip": sockets} if len(f"{sockets}-5") < zmq.IPC_PATH_MAX_LEN else {}


@contextmanager
def without(module: str) -> Iterator[None]:
    """Let an import of this module fail if it is not loaded yet."""
    missing = module not in sys.modules
    if missing:
        sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if missing:
            del sys.modules[module]


def page_of(executed: str) -> str:
    """The body of a notebook's page."""
    with without(GRAMMAR):
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
