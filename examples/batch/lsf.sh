#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tunes on all nodes of an LSF job, by its MPI:
#
#     FILE=digits.ini bsub < lsf.sh
#
# Ten minutes before the end of the run limit (-W) LSF sends USR2 (-wa, -wt), and trials save; with
# exit code 75 the job goes back into the queue (-Q). Written from LSF's documentation, and not run
# on an LSF.
#BSUB -J tune-node
#BSUB -n 3
#BSUB -R "span[ptile=1]"
#BSUB -W 24:00
#BSUB -wa USR2 -wt 10
#BSUB -r
#BSUB -Q "75"

mpirun "${PROGRAM:-tune-node}" up "${FILE:?set FILE}" --notice USR2
