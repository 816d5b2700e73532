#!/usr/bin/env bash
# Run commands on a fresh minimal Debian: only README's prerequisites, an unprivileged user, a clone of this commit, an
# empty cache and two cores. Prints the time of each command.
#
#   tools/fresh_machine.sh bookworm                 `make` and `make test` on Debian 12
#   tools/fresh_machine.sh trixie "make smoke"      another command on Debian 13
#
# Needs root, mmdebstrap, git and network. The root is made in a temporary folder (or in $TMPDIR) and removed.
set -euo pipefail

[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
suite=$1; shift
[ $# -gt 0 ] || set -- "make" "make test"
[ "$(id -u)" = 0 ] || { echo "$0: needs root, which mounts file systems in the new root" >&2; exit 2; }
command -v mmdebstrap >/dev/null || { echo "$0: needs mmdebstrap (apt install mmdebstrap)" >&2; exit 2; }
project=$(cd "$(dirname "$0")/.." && pwd)

# Mounts are seen by this process alone, so that none is left behind, whatever ends it.
[ "${FRESH_MACHINE_UNSHARED:-}" ] || FRESH_MACHINE_UNSHARED=1 exec unshare --mount --propagation private "$0" "$suite" "$@"

root=$(mktemp -d -t fresh-machine.XXXXXX)
trap 'umount -l "$root/proc" "$root/dev/shm" "$root/dev/pts" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"
mmdebstrap --quiet --variant=minbase --include=git,make,python3,python3-venv,ca-certificates "$suite" "$root"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"  # those of this machine, which may be behind a proxy
[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"  # terminals
ln -sf pts/ptmx "$root/dev/ptmx"
chroot "$root" useradd --create-home researcher
git clone --quiet --no-hardlinks "$project" "$root/home/researcher/dpbandits"
chroot "$root" chown -R researcher: /home/researcher

variables=(HOME=/home/researcher PATH=/usr/bin:/bin LANG=C.UTF-8 SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt)
for command in "$@"; do
  echo "=== $suite: $command"
  began=$SECONDS
  taskset --cpu-list 0,1 chroot --userspec=researcher:researcher "$root" \
    env --ignore-environment "${variables[@]}" sh -c "cd ~/dpbandits && $command"
  echo "=== $suite: $command: $((SECONDS - began)) s"
done
