"""A SLURM of four nodes on this machine for a test: daemons of its own, on loopback, gone when the test ends.

All nodes are this machine; each has a daemon and a port of its own (SLURM built with `MULTIPLE_SLURMD`, as Debian's).
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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests import patience

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
PATH = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin{os.pathsep}/sbin"
CONTROLLER = "localhost"
NODES = ("n1", "n2", "n3", "n4")
SMALL = "n4"
"""The node that has less memory than a job of the workflow asks for."""
LITTLE = 1000
"""Megabytes of that node; the others have all of this machine's."""
PARTITIONS = PARTITION, URGENT = ("test", "urgent")
"""Partitions, each of all nodes; jobs of the second one end those of the first."""
MARK = "SLURM_OF_A_TEST"
"""Environment variable that the daemons and what they start have, and the commands of users have not."""
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={controller}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/run/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
# neither systemd nor control groups: processes are followed by their parents, and their memory is polled
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill,UsePss
SwitchType=switch/none
MpiDefault=none
# no accounting: squeue has to remember the jobs
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MinJobAge=86400
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
# to the node that has least to do
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory,CR_LLN
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
# a node is given up soon after its daemon is gone, and taken back when it returns
SlurmdTimeout=15
ReturnToService=2
# no test depends on how fast this machine is
OverTimeLimit=UNLIMITED
InactiveLimit=0
KillWait=5
MessageTimeout=20
{nodes}
PartitionName={partition} Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName={urgent} Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=2
"""
NODE = "NodeName={name} NodeAddr=127.0.0.1 NodeHostname={controller} Port={port} CPUs=1 RealMemory={megabytes}"


def missing() -> list[str]:
    """Programs of SLURM that this machine has not."""
    return [name for name in PROGRAMS if not shutil.which(name, path=PATH)]


@dataclass(frozen=True)
class Process:
    """A process of the cluster: a daemon, or something that runs in a job. Node and job are empty where it has none."""

    number: int
    command: str
    node: str
    job: str


@dataclass
class Cluster:
    """The running cluster; its daemons by name, those of nodes by the name of the node."""

    folder: Path
    daemons: dict[str, subprocess.Popen[bytes]]

    def environment(self) -> dict[str, str]:
        """What a user of the cluster has to have in his environment."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_", "SRUN_"))}
        return {**own, "SLURM_CONF": f"{self.folder}/etc/slurm.conf", "PATH": PATH}

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

    def start(self, name: str, program: str, *options: str) -> None:
        """Start a daemon that stays a child of this process."""
        node = {"SLURMD_NODENAME": name} if name in NODES else {}
        with open(self.folder / "log" / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(
                [shutil.which(program, path=PATH) or program, *options],
                env={**self.environment(), **node, MARK: str(self.folder)},
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

    def start_node(self, node: str) -> None:
        """Start the daemon of a node, or let it go on."""
        if node in self.daemons:
            self.daemons[node].send_signal(signal.SIGCONT)
        else:
            self.start(node, "slurmd", "-D", "-N", node, "-f", f"{self.folder}/etc/slurm.conf")

    def ready(self) -> bool:
        """Whether all nodes take jobs."""
        states = self.ask("sinfo", "--noheader", "--Node", "--format=%T").stdout.split()
        return len(states) == len(PARTITIONS) * len(NODES) and set(states) <= {"idle", "mixed", "allocated"}

    def kill_node(self, node: str) -> None:
        """As if the node had lost its power: its daemon and all that runs in its jobs is gone at once."""
        daemon = self.daemons.pop(node)
        end(self.folder, lambda process: process.node == node)
        daemon.wait()

    def cut_off(self, node: str) -> None:
        """As if the network to the node were down. Its jobs pause until `go_on`: none ends before it is missed."""
        self.daemons[node].send_signal(signal.SIGSTOP)
        self.signal_jobs(node, signal.SIGSTOP)

    def go_on(self, node: str) -> None:
        """Let the jobs of a node that is cut off go on."""
        self.signal_jobs(node, signal.SIGCONT)

    def signal_jobs(self, node: str, number: signal.Signals) -> None:
        """Send a signal to all that runs in jobs of a node."""
        for process in self.at_work():
            if process.node == node:
                with suppress(ProcessLookupError):  # ended meanwhile
                    os.kill(process.number, number)

    def at_work(self) -> list[Process]:
        """What runs in jobs, whatever the controller thinks of them."""
        return [process for process in processes(self.folder) if process.job]

    def stop(self) -> None:
        """End all that was started, jobs first."""
        end(self.folder, lambda process: process.job)
        end(self.folder, lambda process: True)
        for daemon in self.daemons.values():
            daemon.wait()


def end(folder: Path, which: Callable[[Process], object]) -> None:
    """SIGKILL to some of the cluster's processes, until none of them is left."""
    patient = patience.Patience(folder)
    while found := [process for process in processes(folder) if which(process)]:
        patient.check(found)
        for process in found:
            try:
                os.kill(process.number, signal.SIGKILL)
            except ProcessLookupError:  # ended by itself meanwhile
                continue
        time.sleep(0.1)


def processes(folder: Path) -> Iterator[Process]:
    """Each process of the cluster: its daemons, and whatever runs in its jobs."""
    daemon, user = f"{MARK}={folder}", f"SLURM_CONF={folder}/etc/slurm.conf"
    for path in Path("/proc").glob("[0-9]*"):
        try:
            environment = (path / "environ").read_bytes().decode(errors="replace").split("\0")
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # ended meanwhile, or somebody else's
            continue
        found = dict(each.partition("=")[::2] for each in environment)
        job = found.get("SLURM_JOB_ID", "")
        if daemon in environment or (job and user in environment):
            yield Process(int(path.name), command, found.get("SLURMD_NODENAME", ""), job)


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def write(folder: Path) -> None:
    """Configuration, keys and folders."""
    for name in ("etc", "run", "state", "spool", "log", "seed"):
        (folder / name).mkdir(mode=0o755 if name in ("etc", "run") else 0o700)
    port, *ports = free_ports(1 + len(NODES))
    megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    nodes = [
        NODE.format(name=name, controller=CONTROLLER, port=own, megabytes=LITTLE if name == SMALL else megabytes)
        for name, own in zip(NODES, ports, strict=True)
    ]
    values = {"folder": folder, "controller": CONTROLLER, "port": port, "user": getpass.getuser()}
    names = {"nodes": "\n".join(nodes), "partition": PARTITION, "urgent": URGENT}
    (folder / "etc/slurm.conf").write_text(CONFIGURATION.format(**values, **names))
    if version() >= (23, 11):  # these look for control groups unless told not to
        (folder / "etc/cgroup.conf").write_text("CgroupPlugin=disabled\n")
    key = folder / "seed/munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(1024))


def version() -> tuple[int, ...]:
    """Year and month of the installed SLURM."""
    program = shutil.which("slurmd", path=PATH) or "slurmd"
    said = patience.run([program, "-V"]).stdout
    return tuple(int(part) for part in said.split()[-1].split(".")[:2])


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A cluster whose nodes take jobs; whatever happens, nothing of it is left.

    Names of sockets may not be long: hence the folder.
    """
    with tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        write(folder)
        found = Cluster(folder, {})
        try:
            munge = {
                "socket": "run/munge.socket",
                "key-file": "seed/munge.key",
                "seed-file": "seed/munge.seed",
                "pid-file": "run/munged.pid",
                "log-file": "log/munged.log",
            }
            files = [f"--{option}={folder}/{at}" for option, at in munge.items()]
            found.start("munged", "munged", "--foreground", *files)
            found.wait((folder / "run/munge.socket").is_socket, "no munged")
            found.start("slurmctld", "slurmctld", "-D", "-f", f"{folder}/etc/slurm.conf")
            for node in NODES:
                found.start_node(node)
            found.wait(found.ready, "no nodes")
            yield found
        finally:
            found.stop()
