// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include <utility>

namespace tune::cli {

namespace {

/// What the ranks of `up` offer, and how those that do not lead work.
std::vector<option_doc> rank_options() {
  return {
      {"cpus", 0, "N", "CPUs that each offers", {}, "what there is", argument_kind::number},
      {"gpus", 0, "N", "GPUs that each offers", {}, "what there is", argument_kind::number},
      {"memory", 0, "BYTES", "memory that each offers, such as 16GiB", {}, "what there is"},
      {"name", 0, "NAME", "what the node is called", {}, "this machine's name"},
      {"certs",
       0,
       "DIR",
       "with --rendezvous HOST:PORT: certificate directory",
       {},
       default_certs,
       argument_kind::directory},
      {"work",
       0,
       "DIR",
       "where files and trials live on this machine, except rank 0's",
       {},
       "tune-node/worker in $XDG_CACHE_HOME or ~/.cache",
       argument_kind::directory},
      {"join-timeout",
       0,
       "TIME",
       "give up if rank 0 does not come within this time; 0: never",
       {},
       "10m"},
      {"leave-grace",
       0,
       "TIME",
       "when a rank is told to go, its trials may go on for so long before they are handed back",
       {},
       "30s"}};
}

/// What `launch` does with a cluster that is to stand.
std::vector<option_doc> keeping_options() {
  return {{"keep", 0, "", "leave head and workers standing; again: add machines, mend what failed"},
          {"storage",
           0,
           "DIR",
           "with --keep: where each experiment gets its directory",
           {},
           "that of FILE, or results",
           argument_kind::directory},
          {"no-local", 0, "", "with --keep: run no trials on this machine"}};
}

/// What each machine of `launch` offers, how it works, and how strictly its trials are judged.
std::vector<option_doc> launched_worker_options() {
  return {
      {"work",
       0,
       "DIR",
       "where workers keep files and trials, in a directory of their own",
       {},
       "$TMPDIR there, or /tmp"},
      {"cpus", 0, "N", "CPUs that each of them offers", {}, "what there is", argument_kind::number},
      {"gpus", 0, "N", "GPUs that each of them offers", {}, "what there is", argument_kind::number},
      {"memory", 0, "BYTES", "memory that each of them offers, such as 16GiB", {}, "what there is"},
      {"leave-grace",
       0,
       "TIME",
       "when a worker is told to go, its trials may go on for so long before they are handed back",
       {},
       "30s"},
      {"strict", 0, "", "exit 4 when any trial failed"}};
}

} // namespace

command_doc up_doc() {
  command_doc result{
      "up",
      "run one on all machines of a batch job",
      {{"srun tune-node up digits.ini", "in a job of Slurm: one process for each task"},
       {"mpirun tune-node up digits.ini", "the same by MPI"},
       {"for i in 0 1 2; do tune-node up digits.ini -n 3 --rank $i & done; wait", "by hand"},
       {"tune-node up digits.ini", "alone: like run --resume"}},
      {{"FILE", {}, argument_kind::ini_file}},
      {{"number",
        'n',
        "N",
        "number of processes",
        {},
        "as the launcher tells",
        argument_kind::number},
       {"rank",
        0,
        "K",
        "which of them this is, from 0; rank 0 leads",
        {},
        "as the launcher tells",
        argument_kind::number},
       {"rendezvous",
        0,
        "DIR|HOST:PORT",
        "where they meet: a directory that all see and nobody else may enter, or where rank 0 "
        "listens, with certificates that are there already",
        {},
        "a directory beside that of the experiment"},
       {"notice",
        0,
        "SIGNAL",
        "signal that announces the end of the time: trials save, and the exit code is 75",
        {"USR1", "USR2", "none"},
        "USR1"},
       {"strict", 0, "", "exit 4 when any trial failed"}},
      true};
  return with_options(with_options(std::move(result), rank_options()), label_options());
}

command_doc launch_doc() {
  command_doc result{
      "launch",
      "run one on machines that ssh reaches",
      {{"tune-node launch digits.ini --hosts a,b:2222,user@c", "on three machines and this one"},
       {"tune-node launch digits.ini --hosts a,b --cluster.local false", "on these two alone"},
       {"tune-node launch digits.ini --hosts a --program /opt/tune/bin/tune-node",
        "with the program that is there"},
       {"tune-node launch --keep --hosts a,b",
        "a cluster that stands there, until tune-node down"}},
      {{"FILE", {}, argument_kind::ini_file, false}},
      {{"hosts",
        0,
        "HOST,...",
        "the machines, as ssh knows them: HOST, HOST:PORT, USER@HOST",
        {},
        "[cluster] hosts"},
       {"ssh", 0, "COMMAND", "what connects, with its first options", {}, "ssh"},
       {"program",
        0,
        "PATH",
        "the program on these machines, of the same version",
        {},
        "this one, copied where it is not there"},
       {"direct", 0, "",
        "workers dial this machine, which listens for them; else ssh forwards a port"},
       {"partial", 0, "", "run without the machines that fail"}},
      true,
      by_ssh};
  for (const auto& more : {keeping_options(), launched_worker_options(), label_options()})
    result = with_options(std::move(result), more);
  return result;
}

command_doc down_doc() {
  return {"down",
          "end what launch --keep left standing",
          {{"tune-node down", "leaves off what runs, in order, and cleans the machines"},
           {"tune-node down /srv/results --now", "what runs is lost from its last checkpoint on"}},
          {{"DIR", {}, argument_kind::directory, false}},
          {{"now", 0, "", "end everything at once"}},
          false,
          by_ssh};
}

} // namespace tune::cli
