// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"
#include "tune/io/spec/resume_mode.hpp"

#include <utility>

namespace tune::cli {

namespace {

const std::vector<std::string_view> resume_modes{resume_mode_names.begin(),
                                                 resume_mode_names.end()};

option_doc resume_option() {
  return {"resume",
          0,
          "",
          "go on with an experiment that was left off; begin where there is none",
          resume_modes,
          "",
          argument_kind::text,
          false,
          "MODE"};
}

/// How a head has workers come and go.
std::vector<option_doc> scaling_options() {
  return {{"scale-command", 0, "COMMAND", "get and give back workers by this command", {}, "none"},
          {"scale-min", 0, "N", "workers there should be at least", {}, "0", argument_kind::number},
          {"scale-max",
           0,
           "N",
           "workers beyond which none is asked for",
           {},
           "10",
           argument_kind::number},
          {"scale-worker",
           0,
           "JSON",
           "what a new worker offers, such as {\"cpu\": 4, \"gpu\": 1}",
           {},
           "what the newest offers"},
          {"scale-cooldown", 0, "TIME", "from one call to the next that asks for more", {}, "30s"},
          {"scale-down-cooldown", 0, "TIME", "from one call to the next that gives back", {}, "1m"},
          {"scale-idle",
           0,
           "TIME",
           "a worker where nothing ran for so long is given back; 0: never",
           {},
           "5m"},
          {"scale-patience",
           0,
           "TIME",
           "how long a worker that was asked for may take to come, or to go",
           {},
           "5m"},
          {"scale-timeout", 0, "TIME", "how long the command may take", {}, "1m"}};
}

/// What the machine of a head offers, and where it serves people and new machines.
std::vector<option_doc> own_node_options() {
  return {
      {"no-local", 0, "", "run no trials on this machine"},
      {"cpus", 0, "N", "CPUs that this machine offers", {}, "what there is", argument_kind::number},
      {"gpus", 0, "N", "GPUs that it offers", {}, "what there is", argument_kind::number},
      {"memory", 0, "BYTES", "memory that it offers, such as 16GiB", {}, "what there is"},
      {"custom", 0, "NAME=N,...", "amounts of resources of your own"},
      {"http", 0, "HOST:PORT", "serve the page of the storage there, as serve does", {}, "no page"},
      {"enroll",
       0,
       "HOST:PORT",
       "give machines certificates there, for join tokens (certs token)",
       {},
       "no such port"}};
}

} // namespace

command_doc run_doc() {
  return {
      "run",
      "run an experiment on this machine",
      {{"tune-node run digits.ini", "run it, watch it, print the best configuration"},
       {"tune-node run digits.ini --experiment.num_samples 20 --space.lr 'uniform(0, 1)'",
        "any key of the file, from the command line"},
       {"tune-node run digits.ini --dry-run", "check the file, show the first trials"},
       {"tune-node run digits.ini --resume", "go on after Ctrl-C or a crash"},
       {"tune-node run digits.ini --experiment.name auto", "once more: digits-2, digits-3, ..."},
       {"tune-node run digits.ini --head head:7700", "the same on a standing cluster"},
       {"best=$(tune-node run digits.ini --output json)", "the result for a program"}},
      {{"FILE", {}, argument_kind::ini_file}},
      {{"dry-run", 0, "", "check everything and show the first configurations; run nothing"},
       resume_option(),
       {"overwrite", 0, "", "remove the experiment that is in the way, after asking"},
       {"yes", 0, "", "with --overwrite: do not ask"},
       {"strict", 0, "", "exit 4 when any trial failed"},
       {"head", 0, "HOST:PORT", "run it at the head that stands there", {}, "it runs here"},
       {"detach", 0, "", "with --head: submit it, tell where it runs, and leave it there"},
       {"listen",
        0,
        "HOST:PORT",
        "let workers join there; the same as --cluster.listen",
        {},
        "no port is opened"},
       {"certs",
        0,
        "DIR",
        "certificate directory; the same as --cluster.certs",
        {},
        default_certs,
        argument_kind::directory},
       {"cluster", 0, "NAME", "name of the cluster; the same as --cluster.name", {}, "default"},
       {"insecure-plaintext", 0, "", "no TLS for workers; loopback addresses only"},
       {"http", 0, "HOST:PORT", "serve its page there, as serve does", {}, "no page"}},
      true};
}

command_doc resume_doc() {
  return {
      "resume",
      "go on with an experiment that was left off, by its directory alone",
      {{"tune-node resume results/digits-mlp", "go on after Ctrl-C or a crash"},
       {"tune-node resume results/digits-mlp --mode restart_errored",
        "and run what failed again from the beginning"},
       {"tune-node resume results/digits-mlp --experiment.num_samples 200",
        "with more samples, or fewer"},
       {"tune-node resume results/digits-mlp --add '{\"lr\":0.01,\"hidden\":64}'",
        "with a configuration of your own"}},
      {directory_argument()},
      {{"mode", 0, "MODE", "what becomes of trials that had failed", resume_modes, "auto"},
       {"add", 0, "JSON", "try this configuration, too, or each of a list, also where all is done"},
       {"strict", 0, "", "exit 4 when any trial failed"}},
      true};
}

command_doc rerun_doc() {
  return {"rerun",
          "run one configuration again, and compare",
          {{"tune-node rerun results/digits-mlp", "the best, in a directory of its own"},
           {"tune-node rerun results/digits-mlp 42", "that of trial 42"}},
          {directory_argument(), {"TRIAL", {}, argument_kind::number, false}},
          {},
          true};
}

command_doc ask_tell_doc() {
  return {
      "ask-tell",
      "converse with a program of your own that runs the trials",
      {{"python3 examples/python/ask_tell.py", "an executor starts it, and speaks with it"},
       {"tune-node ask-tell bowl.ini < requests.jsonl", "JSON lines in, JSON lines out"},
       {"tune-node ask-tell bowl.ini --resume", "go on where the last conversation ended"},
       {"tune-node ask-tell bowl.ini --http 127.0.0.1:7780", "with several programs, by HTTP"}},
      {{"FILE", {}, argument_kind::ini_file}},
      {{"resume", 0, "", "go on with an experiment that was left off; begin where there is none"},
       {"http", 0, "HOST:PORT", "converse there, as serve does, until Ctrl-C", {}, "stdin, stdout"},
       {"lease",
        0,
        "DURATION",
        "with --http: a trial that nobody spoke of for so long is given anew; 0: never",
        {},
        "10min"}},
      true};
}

command_doc simulate_doc() {
  return {
      "simulate",
      "run an experiment over recorded curves in virtual time",
      {{"tune-node simulate table.ini --nodes 4 --cpus 8", "how long would it take there?"},
       {"tune-node simulate table.ini --scheduler.type asha", "what would that scheduler find?"},
       {"tune-node simulate table.ini --nodes 16 --node-mtbf 6h", "on nodes that come and go"}},
      {{"FILE", {}, argument_kind::ini_file}},
      {{"nodes", 0, "N", "nodes, 1 to 10000", {}, "1", argument_kind::number},
       {"cpus", 0, "N", "CPUs of each node", {}, "those of one trial", argument_kind::number},
       {"gpus", 0, "N", "GPUs of each node", {}, "those of one trial", argument_kind::number},
       {"memory", 0, "BYTES", "memory of each node, such as 16GiB", {}, "that of one trial"},
       {"custom", 0, "NAME=N,...", "amounts of resources of your own, of each node"},
       {"seed",
        0,
        "N",
        "what decides delays and failures",
        {},
        "[experiment] seed",
        argument_kind::number},
       {"iteration-time",
        0,
        "TIME",
        "what an iteration takes where the table has no time_total_s; more than 0",
        {},
        "1s"},
       {"latency", 0, "TIME", "longest delay of a message; each is drawn anew", {}, "0s"},
       {"node-mtbf", 0, "TIME", "mean time between two losses of a node; 0: never", {}, "0s"},
       {"node-repair", 0, "TIME", "mean time that a lost node stays away", {}, "5m"},
       {"trial-failure", 0, "CHANCE", "chance from 0 to 1 that an iteration fails", {}, "0"},
       {"target", 0, "VALUE", "tell when the first trial's metric was so good"},
       {"strict", 0, "", "exit 4 when any trial failed"}},
      true,
      supposing};
}

command_doc whatif_doc() {
  return {
      "whatif",
      "tell what an experiment that ran would have come to under other rules",
      {{"tune-node whatif results/digits-mlp --scheduler asha", "would stopping early have paid?"},
       {"tune-node whatif DIR --scheduler 'asha max_t=50' --scheduler median_stopping", "several"},
       {"tune-node whatif DIR --nodes 4 --cpus 8", "the same rules on other machines"}},
      {directory_argument()},
      {{.name = "scheduler",
        .argument = "RULE",
        .meaning = "a scheduler, then its options: 'asha reduction_factor=3'",
        .repeats = true},
       {"nodes", 0, "N", "nodes, 1 to 10000", {}, "those it had", argument_kind::number},
       {"cpus",
        0,
        "N",
        "with --nodes: CPUs of each",
        {},
        "those of one trial",
        argument_kind::number},
       {"gpus",
        0,
        "N",
        "with --nodes: GPUs of each",
        {},
        "those of one trial",
        argument_kind::number},
       {"memory", 0, "BYTES", "with --nodes: memory of each", {}, "that of one trial"},
       {"custom", 0, "NAME=N,...", "with --nodes: amounts of resources of your own, of each"}},
      true,
      supposing};
}

command_doc head_doc() {
  command_doc result{
      "head",
      "lead a standing cluster",
      {{"tune-node head --listen 0.0.0.0:7700", "until it is told to go"},
       {"tune-node head --listen 0.0.0.0:7700 --no-local --storage /srv/results",
        "only workers run trials"},
       {"tune-node head --listen 127.0.0.1:7700 --insecure-plaintext", "to try it out"}},
      {},
      {{"listen", 0, "HOST:PORT", "where workers join and clients submit; needed"},
       {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
       {"insecure-plaintext", 0, "", "no TLS; loopback addresses only"},
       {"storage",
        0,
        "DIR",
        "where each experiment gets its directory",
        {},
        "results",
        argument_kind::directory},
       {"work",
        0,
        "DIR",
        "where the files of submitted experiments live",
        {},
        "tune-node/head in $XDG_CACHE_HOME or ~/.cache",
        argument_kind::directory},
       {"log-file", 0, "FILE", "keep a log there as lines of JSON, and its last 40 MB", {}, "none"},
       {"cluster", 0, "NAME", "name of the cluster", {}, "default"},
       {"lost-after", 0, "TIME", "a worker that is silent for so long is lost", {}, "10s"},
       {"head-grace",
        0,
        "TIME",
        "if this head dies, workers keep their trials for the next one on the same storage for so "
        "long; 0: not at all",
        {},
        "10m"},
       {"standby", 0, "",
        "wait while another head leads in this storage, and take its place when it is gone"}}};
  for (const auto& more : {own_node_options(), scaling_options(), label_options(), limit_options()})
    result = with_options(std::move(result), more);
  return result;
}

command_doc worker_doc() {
  command_doc result{
      "worker",
      "run trials of experiments that another machine leads",
      {{"tune-node worker --join head:7700", "until it is told to go"},
       {"tune-node worker --join head:7700 --gpus 0 --cpus 8 --once", "for one experiment"},
       {"tune-node worker --join 127.0.0.1:7700 --insecure-plaintext", "to try it out"}},
      {},
      {{"join", 0, "HOST:PORT,...",
        "where the head listens, and those that may take its place; needed"},
       {"name", 0, "NAME", "what the node is called", {}, "this machine's name"},
       {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
       {"insecure-plaintext", 0, "", "no TLS; loopback addresses only"},
       {"cluster", 0, "NAME", "name of the cluster", {}, "default"},
       {"cpus", 0, "N", "CPUs that it offers", {}, "what there is", argument_kind::number},
       {"gpus", 0, "N", "GPUs that it offers", {}, "what there is", argument_kind::number},
       {"memory", 0, "BYTES", "memory that it offers, such as 16GiB", {}, "what there is"},
       {"custom", 0, "NAME=N,...", "amounts of resources of your own"},
       {"work",
        0,
        "DIR",
        "where files and trials live on this machine",
        {},
        "tune-node/worker in $XDG_CACHE_HOME or ~/.cache",
        argument_kind::directory},
       {"log-file", 0, "FILE", "keep a log there as lines of JSON, and its last 40 MB", {}, "none"},
       {"cache", 0, "SIZE", "most that shipped files may take on disk between jobs", {}, "10GiB"},
       {"join-timeout",
        0,
        "TIME",
        "give up if no head is found within this time at first; 0: never",
        {},
        "10m"},
       {"leave-grace",
        0,
        "TIME",
        "when it is told to go, trials may go on for so long before they are handed back",
        {},
        "30s"},
       {"lost-after", 0, "TIME", "as at the head: when a silent connection is given up", {}, "10s"},
       {"once", 0, "", "go when the head lets it go, instead of waiting for the next"},
       {"idle-exit", 0, "TIME", "go when nothing has run here for so long; 0: never", {}, "0"},
       {"token", 0, "TOKEN|FILE", "get a certificate for this join token, unless there is one"},
       {"enroll",
        0,
        "HOST:PORT",
        "with --token: where the head gives certificates",
        {},
        "the next port after that of --join"},
       {"own-storage", 0, "",
        "send checkpoints to the head, also where its directory can be written to from here"}}};
  return with_options(std::move(result), label_options());
}

command_doc attach_doc() {
  return {
      "attach",
      "follow an experiment that you submitted to a head",
      {{"tune-node attach digits --head head:7700", "until it ends; Ctrl-C leaves it running"},
       {"tune-node attach digits --head head:7700 -o json", "and its result for a program"}},
      {{"NAME", {}, argument_kind::text}},
      {{"head", 0, "HOST:PORT", "the head where it runs; needed"},
       {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
       {"insecure-plaintext", 0, "", "no TLS; loopback addresses only"},
       {"cluster", 0, "NAME", "name of the cluster", {}, "default"},
       {"strict", 0, "", "exit 4 when any trial failed"}}};
}

command_doc certs_doc() {
  return {
      "certs",
      "make, show, renew and revoke a cluster's certificates",
      {{"tune-node certs init --cluster lab", "a CA, and this machine's certificate"},
       {"tune-node certs issue w1 --out w1-certs", "for a worker: copy w1-certs to it"},
       {"tune-node certs show", "names, dates, fingerprints"},
       {"tune-node certs rotate", "renew this machine's certificate while it is in use"},
       {"tune-node certs token --uses 5 --expires 1h", "for worker --token, in place of a copy"},
       {"tune-node certs revoke w1", "let w1 in no more, and hang up on it"}},
      {{"init|issue|show|rotate|revoke|token",
        {"init", "issue", "show", "rotate", "revoke", "token"}},
       {"NAME|FILE|DIR", {}, argument_kind::path, false}},
      {{"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
       {"cluster", 0, "NAME", "init: name of the cluster", {}, "this machine's name"},
       {"out",
        0,
        "DIR",
        "issue: where to write; for another machine, a directory of its own. rotate: whose "
        "certificate is renewed",
        {},
        "the certificate directory",
        argument_kind::directory},
       {"host", 0, "HOSTS", "further names and addresses of the node, joined by commas"},
       {"days",
        0,
        "N",
        "days that the node's certificate is valid",
        {},
        "825",
        argument_kind::number},
       {"force", 0, "", "replace the node's certificate and key; never the CA"},
       {"uses", 0, "N", "token: how often it counts", {}, "1", argument_kind::number},
       {"expires", 0, "TIME", "token: for how long it counts, at most 30 days", {}, "1h"},
       {"name",
        0,
        "NAME",
        "token: name in the certificate",
        {},
        "as asked for, with a random ending"}},
      false,
      joining};
}

command_doc doctor_doc() {
  return {
      "doctor",
      "find what is wrong with this machine, or the way to a head",
      {{"tune-node doctor", "this machine: limits, directories, certificates"},
       {"tune-node doctor --join head:7700", "step by step what a worker does to join"},
       {"tune-node doctor --join head:7700 -o json", "for a program"}},
      {},
      {{"join", 0, "HOST:PORT", "the head to which the way is checked", {}, "this machine alone"},
       {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
       {"insecure-plaintext", 0, "", "with --join: no TLS; loopback addresses only"},
       {"cluster", 0, "NAME", "with --join: name of the cluster", {}, "default"},
       {"work",
        0,
        "DIR",
        "where a worker's files and trials are to live",
        {},
        "tune-node/worker in $XDG_CACHE_HOME or ~/.cache",
        argument_kind::directory}},
      false,
      joining};
}

} // namespace tune::cli
