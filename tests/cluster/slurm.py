"""A SLURM of one node on this machine for a test: daemons of its own, on loopback, gone when the test ends.

Everything is in one temporary folder: keys, sockets, state, logs. No system service is used or touched. A process is
ended only if its environment names that folder.
"""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests import patience

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo")
PATH = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin{os.pathsep}/sbin"
NODE = "localhost"
MARK = "SLURM_OF_A_TEST"
"""Environment variable that the daemons and what they start have, and the commands of users have not."""
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={node}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/run/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.log
# neither systemd nor control groups: processes are followed by their parents
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
# no accounting: squeue has to remember the jobs
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MinJobAge=86400
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# a node is given up soon after its daemon is gone, and taken back when it returns
SlurmdTimeout=15
ReturnToService=2
# no test depends on how fast this machine is
OverTimeLimit=UNLIMITED
InactiveLimit=0
KillWait=5
MessageTimeout=60
NodeName={node} NodeAddr=127.0.0.1 NodeHostname={node} CPUs={cpus} RealMemory={megabytes} State=UNKNOWN
PartitionName=test Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""
SRUN = """\
#!/bin/sh
# Within a job Snakemake's plugin clears the environment of srun, which then looks for the machine's own cluster.
SLURM_CONF="{folder}/etc/slurm.conf" exec "{srun}" "$@"
"""


def missing() -> list[str]:
    """Programs of SLURM that this machine has not."""
    return [name for name in PROGRAMS if not shutil.which(name, path=PATH)]


@dataclass
class Cluster:
    """The running cluster; its daemons by name."""

    folder: Path
    daemons: dict[str, subprocess.Popen[bytes]]

    def environment(self) -> dict[str, str]:
        """What a user of the cluster has to have in his environment."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_", "SRUN_"))}
        return {**own, "SLURM_CONF": f"{self.folder}/etc/slurm.conf", "PATH": f"{self.folder}/bin{os.pathsep}{PATH}"}

    def ask(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of SLURM."""
        return patience.run(command, env=self.environment(), cwd=self.folder)

    def call(self, *command: str) -> str:
        """What a command of SLURM prints; it must succeed."""
        done = self.ask(*command)
        assert done.returncode == 0, (command, done.stderr, self.logs())
        return done.stdout

    def jobs(self) -> dict[str, str]:
        """State of every job that ever was, by its number."""
        lines = self.call("squeue", "--noheader", "--states=all", "--format=%i %T").splitlines()
        return dict(line.split() for line in lines)

    def running(self) -> list[str]:
        """Numbers of the jobs that run now."""
        return [number for number, state in self.jobs().items() if state == "RUNNING"]

    def logs(self) -> str:
        """The last lines of all logs."""
        texts = {path.name: path.read_text(errors="replace") for path in sorted((self.folder / "log").iterdir())}
        return "\n".join(f"{name}: {text[-1500:]}" for name, text in texts.items())

    def start(self, name: str, *command: str) -> None:
        """Start a daemon that stays a child of this process."""
        with open(self.folder / "log" / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(
                [shutil.which(name, path=PATH) or name, *command],
                env={**self.environment(), MARK: str(self.folder)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                start_new_session=True,
            )

    def wait(self, something: Callable[[], object], what: str) -> None:
        """Wait until `something` is true; the daemons must not end."""
        patient = patience.Patience(self.folder)
        while not something():
            ended = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            assert not ended, (ended, self.logs())
            patient.check(what)
            time.sleep(0.2)

    def start_node(self) -> None:
        """Start the daemon of the node, and wait until it takes jobs."""
        self.start("slurmd", "-D", "-N", NODE, "-f", f"{self.folder}/etc/slurm.conf")
        ready = ("idle", "mixed", "allocated")
        self.wait(lambda: self.ask("sinfo", "--noheader", "--format=%T").stdout.strip() in ready, "no node")

    def kill_node(self) -> None:
        """As if the node had lost its power: its daemon and all that runs in jobs is gone at once."""
        daemon = self.daemons.pop("slurmd")
        end(self.folder, lambda name: name not in ("munged", "slurmctld", "slurmscriptd"))
        daemon.wait()

    def stop(self) -> None:
        """End all that was started, jobs first."""
        end(self.folder, lambda name: not name.startswith(("munged", "slurm")))
        end(self.folder, lambda name: True)
        for daemon in self.daemons.values():
            daemon.wait()


def end(folder: Path, which: Callable[[str], bool]) -> None:
    """SIGKILL to the cluster's processes, by the names of their programs, until none of them is left."""
    patient = patience.Patience(folder)
    while found := [number for number, name in processes(folder) if which(name)]:
        patient.check(found)
        for number in found:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:  # ended by itself meanwhile
                continue
        time.sleep(0.1)


def processes(folder: Path) -> Iterator[tuple[int, str]]:
    """Number and program's name of each process of the cluster: its daemons, and whatever runs in its jobs."""
    daemon, user = f"{MARK}={folder}".encode(), f"SLURM_CONF={folder}/etc/slurm.conf".encode()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            environment = set((path / "environ").read_bytes().split(b"\0"))
            name = (path / "comm").read_text().strip()
        except OSError:  # ended meanwhile, or somebody else's
            continue
        in_job = user in environment and any(entry.startswith(b"SLURM_JOB_ID=") for entry in environment)
        if daemon in environment or in_job:
            yield int(path.name), name


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def write(folder: Path, cpus: int) -> None:
    """Configuration, keys and folders."""
    for name in ("etc", "run", "bin", "state", "spool", "log", "seed"):
        (folder / name).mkdir(mode=0o755 if name in ("etc", "run", "bin") else 0o700)
    controller_port, node_port = free_ports(2)
    megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    values = {"folder": folder, "node": NODE, "user": getpass.getuser(), "cpus": cpus, "megabytes": megabytes}
    ports = {"controller_port": controller_port, "node_port": node_port}
    (folder / "etc/slurm.conf").write_text(CONFIGURATION.format(**values, **ports))
    if version() >= (23, 11):  # these look for control groups unless told not to
        (folder / "etc/cgroup.conf").write_text("CgroupPlugin=disabled\n")
    key = folder / "seed/munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(1024))
    (folder / "bin/srun").write_text(SRUN.format(folder=folder, srun=shutil.which("srun", path=PATH)))
    (folder / "bin/srun").chmod(0o755)


def version() -> tuple[int, ...]:
    """Year and month of the installed SLURM."""
    program = shutil.which("slurmd", path=PATH) or "slurmd"
    said = patience.run([program, "-V"]).stdout
    return tuple(int(part) for part in said.split()[-1].split(".")[:2])


@contextmanager
def cluster(cpus: int) -> Iterator[Cluster]:
    """A cluster with a node of so many processors; whatever happens, nothing of it is left.

    Names of sockets may not be long: hence the folder.
    """
    with tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        write(folder, cpus)
        found = Cluster(folder, {})
        try:
            munge = {
                "socket": "run/munge.socket",
                "key-file": "seed/munge.key",
                "seed-file": "seed/munge.seed",
                "pid-file": "run/munged.pid",
                "log-file": "log/munged.log",
            }
            found.start("munged", "--foreground", *(f"--{option}={folder}/{at}" for option, at in munge.items()))
            found.wait((folder / "run/munge.socket").is_socket, "no munged")
            found.start("slurmctld", "-D", "-f", f"{folder}/etc/slurm.conf")
            found.start_node()
            yield found
        finally:
            found.stop()
