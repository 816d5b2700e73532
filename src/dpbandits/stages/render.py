"""Stage render: a notebook, tables and records in; the executed notebook and its page out, and copies of the data."""

import errno
import os
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpbandits.base.parquet import column_names, own, write_columns
from dpbandits.base.storage import checksum_file, copy_file, write_text
from dpbandits.config.loading import Paper
from dpbandits.report.notebook_page import notebook_page
from dpbandits.stages.quarantine import demand_whole

HIDDEN = {"parameters", "injected-parameters"}  # tags of cells that the page leaves out
OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)  # faults that are not the notebook's
START_SECONDS = 600  # a kernel may start slowly on a busy machine
VOLATILE = ("papermill", "execution")  # metadata with times and paths


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
    """Execute the notebook of a paper with papermill, and convert it to a page that loads nothing.

    The notebook reads the tables and records; its parameter `folders` says where they are. Copies of them go to the
    folder `data` beside the figures; of every table of runs the outputs that are judged.

    Parameters
    ----------
    notebook : its file; where there is none, the place in which it would be, and `generated` is executed there.
    outputs : by experiment the outputs of algorithms that are copied: regret, and what claims and measurements look at.

    Raises
    ------
    DamagedFile
        Tables are damaged; they are quarantined, so that the next run recomputes them.
    papermill.PapermillExecutionError
        A cell failed; the traceback is in the text.
    ChildProcessError
        The notebook's kernel died.
    OSError
        Something could not be written.
    """
    demand_whole(tables / f"{name}{kind}.parquet" for name in outputs for kind in ("", ".summary"))
    paths = {"tables": tables, "claims": claims, "audits": audits}
    notebook.parent.mkdir(exist_ok=True)  # where no paper has a notebook of its own
    folders = {name: os.path.relpath(path, notebook.parent) for name, path in paths.items()}
    executed = execute(notebook, {"folders": folders}, generated)
    write_text(ipynb, executed + "\n")
    write_text(html, notebook_page(paper.title, page_of(executed)))
    remove_others(figures / "data", outputs)
    copy_file(claims, figures / "data/claims.json")
    copy_file(audits, figures / "data/audit.json")
    for name, judged in outputs.items():
        columns = column_names(tables / f"{name}.parquet")
        labels = columns[: columns.index("seed") + 1]
        write_columns(figures / "data" / f"{name}.parquet", tables / f"{name}.parquet", {*labels, *judged})
        summary = tables / f"{name}.summary.parquet"
        for path in (checksum_file(summary), summary):
            copy_file(path, figures / "data" / path.name)


def remove_others(folder: Path, experiments: Collection[str]) -> None:
    """Delete the tables of experiments that no longer exist, which earlier runs copied to `folder`; nothing else."""
    for path in folder.glob("*.parquet"):
        if path.name.removesuffix(".parquet").removesuffix(".summary") not in experiments and own(path):
            path.unlink()
            checksum_file(path).unlink(missing_ok=True)


def execute(notebook: Path, parameters: Mapping[str, Any], generated: Any = None) -> str:
    """The executed notebook, or the generated one, as text that is the same each time; raises as `render`."""
    with tempfile.TemporaryDirectory() as scratch, environment_of_kernel(scratch):
        import nbformat
        import papermill
        from nbclient.exceptions import DeadKernelError
        from traitlets.config import Config

        try:
            executed = papermill.execute_notebook(
                str(notebook) if generated is None else generated,
                None,  # or it writes the whole notebook before and after every cell
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
        cell["id"] = f"cell-{number:02d}"  # the injected cell's own is random
        if cell.cell_type == "code":
            cell["outputs"] = without_warnings(cell.outputs)
    text: str = nbformat.writes(executed)
    return text


def without_warnings(outputs: Iterable[Any]) -> list[Any]:
    """The outputs of a cell but what went to standard error, as warnings of this machine do: that goes to the log.

    What was printed before and after a warning is one output, as if there had been none.
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
    """The environment variables that a kernel starts with; those of before come back."""
    before = dict(os.environ)
    os.environ.update(
        JUPYTER_PATH=str(Path(sys.prefix) / "share/jupyter"),
        JUPYTER_PREFER_ENV_PATH="1",
        IPYTHONDIR=scratch,
        MPLCONFIGDIR=scratch,
        MPLBACKEND="module://matplotlib_inline.backend_inline",  # else that of the user's shell, which may show nothing
        DPBANDITS_COMPILE="0",
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def connection(folder: str) -> dict[str, str]:
    """How to talk to a kernel: by sockets in `folder`; by network ports where its path is too long for a socket.

    Jupyter chooses ports first and binds them later, so two kernels that start at once can choose the same one.
    """
    import zmq

    sockets = f"{folder}/kernel"
    return {"transport": "ipc", "ip": sockets} if len(f"{sockets}-5") < zmq.IPC_PATH_MAX_LEN else {}


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
