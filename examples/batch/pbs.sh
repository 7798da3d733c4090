#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tunes on all nodes of a job of PBS Professional or OpenPBS, by its MPI:
#
#     qsub -v FILE=digits.ini pbs.sh
#
# Ten minutes before the end of walltime USR1 has the trials saved, and the job goes back into the
# queue: with another walltime, name another time by LEAVE_AFTER=...m. Written from PBS's
# documentation, and not run on a PBS.
#PBS -N tune-node
#PBS -l select=3:ncpus=16:mpiprocs=1
#PBS -l walltime=24:00:00
#PBS -r y

cd "$PBS_O_WORKDIR" || exit 1
timeout --preserve-status --signal=USR1 "${LEAVE_AFTER:-1430m}" \
  mpirun "${PROGRAM:-tune-node}" up "${FILE:?name it by qsub -v FILE=...}" --notice USR1
code=$?

# 75: left off, and everything is saved.
if ((code == 75)); then
  qrerun "$PBS_JOBID"
fi
exit "$code"
