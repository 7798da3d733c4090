#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A Slurm of three nodes on this machine, to try job scripts; as root. Needs Debian's slurm-wlm and
# munge. Everything lies below DIRECTORY.
#
#   scripts/local_slurm.sh start DIRECTORY   starts it; prints the line that sets SLURM_CONF
#   scripts/local_slurm.sh stop DIRECTORY
#
# CPUS is the number of processors that each node claims (2). Nothing is confined to them.
set -euo pipefail

what=${1:?start or stop}
root=$(realpath -m "${2:?a directory}")
cpus=${CPUS:-2}

need() {
  local name
  for name in "$@"; do
    if ! command -v "$name" >/dev/null; then
      echo "local_slurm: there is no $name; apt-get install slurm-wlm munge" >&2
      exit 1
    fi
  done
}

free_ports() {
  python3 - "$1" <<'PY'
import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for x in held:
    x.bind(("127.0.0.1", 0))
print(*[x.getsockname()[1] for x in held])
PY
}

write_configuration() {
  local host controller first second third
  host=$(hostname -s)
  read -r controller first second third < <(free_ports 4)
  mkdir -p "$root"/{etc,log,run,state,spool}
  cat >"$root/etc/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$root/run/munge.socket
SlurmctldPort=$controller
SlurmctldPidFile=$root/run/slurmctld.pid
SlurmctldLogFile=$root/log/slurmctld.log
StateSaveLocation=$root/state
SlurmdPidFile=$root/run/slurmd.%n.pid
SlurmdLogFile=$root/log/slurmd.%n.log
SlurmdSpoolDir=$root/spool/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
ReturnToService=2
JobRequeue=1
SlurmdParameters=config_overrides
SlurmctldTimeout=10
SlurmdTimeout=10
KillWait=3
RebootProgram=/bin/true
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$first CPUs=$cpus RealMemory=2000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$second CPUs=$cpus RealMemory=2000 State=UNKNOWN
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=$third CPUs=$cpus RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES OverSubscribe=YES:4 MaxTime=INFINITE State=UP
CONF
  cat >"$root/etc/cgroup.conf" <<CONF
CgroupPlugin=cgroup/v1
CgroupAutomount=no
ConstrainCores=no
ConstrainRAMSpace=no
CONF
}

start_munge() {
  # munge wants its directories to be its own, and reachable.
  chmod 755 "$root"
  mkdir -p "$root/munge"
  head -c 128 /dev/urandom >"$root/munge/key"
  chown -R munge:munge "$root/munge" "$root/run"
  chmod 700 "$root/munge"
  chmod 755 "$root/run"
  chmod 600 "$root/munge/key"
  if ! runuser -u munge -- test -x "$root"; then
    echo "local_slurm: the user munge cannot enter $root; choose a directory below one that it can" >&2
    exit 1
  fi
  runuser -u munge -- munged --key-file="$root/munge/key" --socket="$root/run/munge.socket" \
    --pid-file="$root/run/munged.pid" --log-file="$root/munge/log" \
    --seed-file="$root/munge/seed"
}

start() {
  need munged slurmctld slurmd runuser python3
  write_configuration
  start_munge
  export SLURM_CONF=$root/etc/slurm.conf
  slurmctld -f "$SLURM_CONF"
  local node
  for node in n1 n2 n3; do
    mkdir -p "$root/spool/$node"
    slurmd -N "$node" -f "$SLURM_CONF"
  done
  local i
  for ((i = 0; i < 300; ++i)); do
    if [[ $(sinfo -h -t idle -o %D 2>/dev/null) == 3 ]]; then
      echo "export SLURM_CONF=$SLURM_CONF"
      return
    fi
    sleep 0.1
  done
  echo "local_slurm: its nodes do not come up; see $root/log" >&2
  exit 1
}

stop() {
  local file pid
  for file in "$root"/run/slurmd.*.pid "$root"/run/slurmctld.pid "$root"/run/munged.pid; do
    [[ -e $file ]] || continue
    pid=$(<"$file")
    kill "$pid" 2>/dev/null || continue
    for ((i = 0; i < 100; ++i)); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.05
    done
    kill -9 "$pid" 2>/dev/null || true
  done
}

case $what in
  start) start ;;
  stop) stop ;;
  *)
    echo "local_slurm: start or stop, not $what" >&2
    exit 2
    ;;
esac
