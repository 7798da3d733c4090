#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A scale_command for Kubernetes: the number of replicas of the workers' Deployment. It must be the
# only thing that sets that number: no autoscaler beside it, and no workers but the Deployment's.
#
#     tune-node head --listen 0.0.0.0:7700 --no-local --scale-max 16 \
#       --scale-command "examples/scaling/kubernetes.sh deployment/tune-node-worker"
#
# Where the head runs in the cluster, its service account needs "get" and "patch" on
# deployments/scale and on pods. KUBECTL in the environment is the program ("kubectl"); further
# words, such as --namespace tune, are given to it.
set -eu

workers=$1
shift
kubectl=${KUBECTL:-kubectl}

# The name of a worker is that of its pod. When the number falls, those with the lowest cost go
# first: these, on which nothing runs.
for pod in $TUNE_IDLE_WORKERS; do
  "$kubectl" "$@" annotate --overwrite "pod/$pod" controller.kubernetes.io/pod-deletion-cost=-1000
done
"$kubectl" "$@" scale "$workers" "--replicas=$TUNE_WANTED_WORKERS"
