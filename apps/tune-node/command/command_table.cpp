// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_table.hpp"

#include "command/at_head.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/spec/resume_mode.hpp"

#include <algorithm>

namespace tune::cli {
namespace {

constexpr const char* default_certs
    = "$TUNE_CERTS, or tune-node/certs in $XDG_CONFIG_HOME or ~/.config";

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

constexpr auto looking = "see how an experiment is doing";
constexpr auto steering = "steer a running experiment";
constexpr auto choosing = "see what can be chosen, or was";
constexpr auto knowing = "know the program";

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
       {"insecure-plaintext", 0, "", "no TLS for workers; loopback addresses only"}},
      true};
}

command_doc ask_tell_doc() {
  return {
      "ask-tell",
      "converse with a program of your own that runs the trials",
      {{"python3 examples/python/ask_tell.py", "an executor starts it, and speaks with it"},
       {"tune-node ask-tell bowl.ini < requests.jsonl", "JSON lines in, JSON lines out"},
       {"tune-node ask-tell bowl.ini --resume", "go on where the last conversation ended"}},
      {{"FILE", {}, argument_kind::ini_file}},
      {{"resume", 0, "", "go on with an experiment that was left off; begin where there is none"}},
      true};
}

command_doc head_doc() {
  return {
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
       {"cluster", 0, "NAME", "name of the cluster", {}, "default"},
       {"lost-after", 0, "TIME", "a worker that is silent for so long is lost", {}, "10s"},
       {"no-local", 0, "", "run no trials on this machine"},
       {"cpus",
        0,
        "N",
        "CPUs that this machine offers",
        {},
        "what there is",
        argument_kind::number},
       {"gpus", 0, "N", "GPUs that it offers", {}, "what there is", argument_kind::number},
       {"memory", 0, "BYTES", "memory that it offers, such as 16GiB", {}, "what there is"},
       {"custom", 0, "NAME=N,...", "amounts of resources of your own"}}};
}

command_doc worker_doc() {
  return {
      "worker",
      "run trials of experiments that another machine leads",
      {{"tune-node worker --join head:7700", "until it is told to go"},
       {"tune-node worker --join head:7700 --gpus 0 --cpus 8 --once", "for one experiment"},
       {"tune-node worker --join 127.0.0.1:7700 --insecure-plaintext", "to try it out"}},
      {},
      {{"join", 0, "HOST:PORT", "where the head listens; needed"},
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
       {"own-storage", 0, "",
        "send checkpoints to the head, also where its directory can be written to from here"}}};
}

command_doc trials_doc() {
  command_doc result{
      "trials",
      "list the trials of an experiment, or tell why one ended",
      {{"tune-node trials results/digits-mlp", "all trials, also while it runs"},
       {"tune-node trials results/digits-mlp --sort objective --limit 10", "the ten best"},
       {"tune-node trials results/digits-mlp --why 42", "decisions, attempts, errors of one"},
       {"tune-node trials results/digits-mlp --failed", "what trials failed with"},
       {"tune-node trials results/digits-mlp --columns trial,node,time_total_s,loss",
        "these alone"},
       {"tune-node trials results/digits-mlp --output csv > trials.csv", "for a spreadsheet"}},
      {{"DIR", {}, argument_kind::directory}},
      {{"why", 0, "TRIAL", "tell what was decided about one trial, and why"},
       {"policy", 0, "TRIAL",
        "print the schedule of configurations that PBT found for one trial, for pbt_replay"},
       {"status",
        0,
        "STATUS",
        "only trials in this status",
        {"pending", "running", "paused", "terminated", "errored"}},
       {"failed", 0, "", "what trials failed with, and how many of each kind"},
       {"pareto", 0, "", "only trials that no other one beats in all objectives"},
       {"sort",
        0,
        "KEY",
        "order by any column, a metric (objectives best first), or a parameter; KEY:asc and "
        "KEY:desc say the direction",
        {},
        "trial"},
       {"reverse", 0, "", "in the opposite order"},
       {"scope",
        0,
        "SCOPE",
        "which reports speak for a trial: the best, the last, or of each metric a mean, the least "
        "or the most",
        {"best", "last", "avg", "last-5-avg", "last-10-avg", "min", "max"},
        "best"},
       {"columns", 0, "NAME,...", "what to show, in this order; all: all that there are"},
       {"limit",
        0,
        "N",
        "at most so many trials; 0: all",
        {},
        "all; 100 in a table off a terminal",
        argument_kind::number}}};
  result.family = looking;
  return result;
}

command_doc fsck_doc() {
  return {
      "fsck",
      "check an experiment's record against all that is promised of it",
      {{"tune-node fsck results/digits-mlp", "exit 7 and the findings, or one line"},
       {"tune-node fsck results/digits-mlp --verify", "compute all recorded answers again, too"},
       {"tune-node fsck results/digits-mlp --output json", "the same for a program"}},
      {{"DIR", {}, argument_kind::directory}},
      {{"verify", 0, "", "compute the answers of scheduler and searcher once more"}}};
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
      true};
}

const positional_doc directory_argument{"DIR", {}, argument_kind::directory};
const positional_doc trials_argument{"TRIAL", {}, argument_kind::number, false, true};
const positional_doc ended_trials_argument{"TRIAL", {}, argument_kind::number, true, true};

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
      {directory_argument},
      {{"mode", 0, "MODE", "what becomes of trials that had failed", resume_modes, "auto"},
       {"add", 0, "JSON", "try this configuration, too, or each of a list, also where all is done"},
       {"strict", 0, "", "exit 4 when any trial failed"}},
      true};
}

command_doc rerun_doc() {
  return {"rerun",
          "run one configuration of an experiment again, and compare what it reports",
          {{"tune-node rerun results/digits-mlp", "the best, in a directory of its own"},
           {"tune-node rerun results/digits-mlp 42", "that of trial 42"}},
          {directory_argument, {"TRIAL", {}, argument_kind::number, false}},
          {},
          true};
}

command_doc compare_doc() {
  command_doc result{
      "compare",
      "compare experiments: keys, spaces, best trials, times",
      {{"tune-node compare results/digits results/digits-2", "what differs"},
       {"tune-node compare results/digits results/digits-2 -o json", "the same for a program"}},
      {directory_argument, {"DIR", {}, argument_kind::directory, true, true}}};
  result.family = looking;
  return result;
}

command_doc importance_doc() {
  command_doc result{
      "importance",
      "tell which parameters made the difference between good trials and others",
      {{"tune-node importance results/digits-mlp", "the most important first"},
       {"tune-node importance results/digits-mlp --by ped-anova --best 0.25",
        "by where the best quarter of all trials is"}},
      {directory_argument},
      {{"metric", 0, "NAME", "an objective", {}, "the first"},
       {"best", 0, "SHARE", "share of the trials that counts as the best, 0 to 1", {}, "0.1"},
       {"by",
        0,
        "MEASURE",
        "auto: by a model where the searcher learnt, else by where the best trials are",
        {"auto", "ped-anova", "model"},
        "auto"}}};
  result.family = looking;
  return result;
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

command_doc status_doc() {
  command_doc result{"status",
                     "tell how an experiment stands, running or not",
                     {{"tune-node status results/digits-mlp", "counts, the best, what runs"},
                      {"tune-node status results/digits-mlp -o json", "the same for a program"}},
                     {directory_argument}};
  result.family = looking;
  return result;
}

command_doc logs_doc() {
  command_doc result{
      "logs",
      "show what a trial printed, or the experiment's own log",
      {{"tune-node logs results/digits-mlp 42", "stdout of trial 42"},
       {"tune-node logs results/digits-mlp 42 --stderr --follow", "its stderr, until it ends"},
       {"tune-node logs results/digits-mlp", "the file of [log] file"}},
      {directory_argument, {"TRIAL", {}, argument_kind::number, false}},
      {{"follow", 'f', "", "go on with what comes, until the trial ends or nobody runs it"},
       {"stderr", 0, "", "what the trial wrote to stderr"},
       {"raw", 0, "", "leave control characters as they are, also on a terminal"}}};
  result.family = looking;
  return result;
}

command_doc wait_doc() {
  command_doc result{
      "wait",
      "wait for the end of an experiment, and write its result as run does",
      {{"tune-node wait results/digits-mlp", "and end with its exit code"},
       {"best=$(tune-node wait results/digits-mlp -o json)", "its result for a program"}},
      {directory_argument},
      {{"strict", 0, "", "exit 4 when any trial failed"}}};
  result.family = looking;
  return result;
}

command_doc fetch_doc() {
  return {
      "fetch",
      "copy a checkpoint of an experiment, or more, into a directory of your own",
      {{"tune-node fetch results/digits-mlp", "the best checkpoint"},
       {"tune-node fetch results/digits-mlp 42 --what trial --to trial-42",
        "all that trial 42 wrote"},
       {"tune-node fetch digits-mlp --head head:7700 --what experiment", "all of it, from a head"}},
      {directory_argument, {"TRIAL", {}, argument_kind::number, false}},
      {{"what",
        0,
        "PART",
        "what is fetched",
        {"checkpoint", "exports", "trial", "experiment"},
        "checkpoint"},
       {"to",
        0,
        "DIR",
        "the copy, which must not be there",
        {},
        "in this directory, named after what it is",
        argument_kind::directory}}};
}

command_doc stop_doc() {
  command_doc result{"stop",
                     "end trials of a running experiment, or all of it, in order",
                     {{"tune-node stop results/digits-mlp", "end the experiment"},
                      {"tune-node stop results/digits-mlp 3 17", "end two trials"}},
                     {directory_argument, trials_argument}};
  result.family = steering;
  return result;
}

command_doc pause_doc() {
  command_doc result{
      "pause",
      "have trials save and wait, or start no more of them",
      {{"tune-node pause results/digits-mlp 3", "save, give the resources back, and wait"},
       {"tune-node pause results/digits-mlp", "start no further trial; those that run go on"}},
      {directory_argument, trials_argument}};
  result.family = steering;
  return result;
}

command_doc unpause_doc() {
  command_doc result{"unpause",
                     "let what was paused go on",
                     {{"tune-node unpause results/digits-mlp 3", "trial 3 may run again"},
                      {"tune-node unpause results/digits-mlp", "trials are started again"}},
                     {directory_argument, trials_argument}};
  result.family = steering;
  return result;
}

command_doc add_doc() {
  command_doc result{
      "add",
      "have a running experiment try a configuration of your own",
      {{"tune-node add results/digits-mlp lr=0.01 hidden=64", "one value per parameter"},
       {"tune-node add results/digits-mlp --config '{\"lr\":0.01,\"hidden\":64}'", "as JSON"}},
      {directory_argument, {"NAME=VALUE", {}, argument_kind::text, false, true}},
      {{"config", 0, "JSON", "the configuration as one object"},
       {"key", 0, "KEY", "add it once, however often this command is given with this key"}}};
  result.family = steering;
  return result;
}

command_doc retry_doc() {
  command_doc result{
      "retry",
      "run trials again that have ended",
      {{"tune-node retry results/digits-mlp 42", "from its newest checkpoint"},
       {"tune-node retry results/digits-mlp 42 --from-scratch", "from the beginning"}},
      {directory_argument, ended_trials_argument},
      {{"from-scratch", 0, "", "forget checkpoints, and judge it afresh"}}};
  result.family = steering;
  return result;
}

command_doc list_doc() {
  command_doc result{
      "list",
      "list what can be chosen in the INI file, with all options, or experiments",
      {{"tune-node list schedulers", "names, options, defaults, ranges"},
       {"tune-node list searchers --output json", "the same for a program"},
       {"tune-node list experiments results", "all experiments below results"}},
      {{"searchers|schedulers|stoppers|trainables|sinks|experiments",
        {"searchers", "schedulers", "stoppers", "trainables", "sinks", "experiments"}},
       {"STORAGE", {}, argument_kind::directory, false}},
      {}};
  result.family = choosing;
  return result;
}

command_doc config_doc() {
  command_doc result{
      "config",
      "check an INI file, or show what it comes to",
      {{"tune-node config check digits.ini", "exit 3 and the faults, or nothing"},
       {"tune-node config explain digits.ini", "each value and where it comes from"},
       {"tune-node config print digits.ini", "the whole configuration as one INI file"}},
      {{"check|explain|print", {"check", "explain", "print"}},
       {"FILE", {}, argument_kind::ini_file}},
      {{"ask-tell", 0, "", "take the file as ask-tell does, which needs no [trainable]"}},
      true};
  result.family = choosing;
  return result;
}

command_doc certs_doc() {
  return {
      "certs",
      "make and show the certificates of a cluster",
      {{"tune-node certs init --cluster lab", "a CA, and this machine's certificate"},
       {"tune-node certs issue w1 --out w1-certs", "for a worker: copy w1-certs to it"},
       {"tune-node certs show", "names, dates, fingerprints"},
       {"tune-node certs issue head --force", "renew this machine's certificate"}},
      {{"init|issue|show", {"init", "issue", "show"}},
       {"NAME|FILE|DIR", {}, argument_kind::path, false}},
      {{"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
       {"cluster", 0, "NAME", "init: name of the cluster", {}, "this machine's name"},
       {"out",
        0,
        "DIR",
        "issue: where to write; for another machine, a directory of its own",
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
       {"force", 0, "", "replace the node's certificate and key; never the CA"}}};
}

/// The command with the options by which a head carries it out.
command_doc at_heads_too(command_doc x) {
  x.at_head = true;
  auto more = head_options();
  x.options.insert(x.options.end(), more.begin(), more.end());
  return x;
}

std::vector<command_doc> all_commands() {
  return {run_doc(),
          ask_tell_doc(),
          head_doc(),
          worker_doc(),
          resume_doc(),
          rerun_doc(),
          attach_doc(),
          at_heads_too(status_doc()),
          at_heads_too(trials_doc()),
          at_heads_too(compare_doc()),
          at_heads_too(importance_doc()),
          at_heads_too(fsck_doc()),
          simulate_doc(),
          at_heads_too(logs_doc()),
          at_heads_too(wait_doc()),
          at_heads_too(fetch_doc()),
          at_heads_too(stop_doc()),
          at_heads_too(pause_doc()),
          at_heads_too(unpause_doc()),
          at_heads_too(add_doc()),
          at_heads_too(retry_doc()),
          at_heads_too(list_doc()),
          config_doc(),
          certs_doc(),
          {"version",
           "tell the version",
           {{"tune-node version", "also as --version"}},
           {},
           {},
           false,
           knowing},
          {"completion",
           "write a shell's completion script to stdout",
           {{"source <(tune-node completion bash)", "bash: in ~/.bashrc"},
            {"tune-node completion zsh > ~/.zfunc/_tune-node", "zsh: a directory of $fpath"},
            {"tune-node completion fish > ~/.config/fish/completions/tune-node.fish", "fish"}},
           {{"bash|zsh|fish", {"bash", "zsh", "fish"}}},
           {},
           false,
           knowing},
          {"help",
           "tell how to use a command",
           {{"tune-node help run", "the same as tune-node run --help"}},
           {{"COMMAND", {}, argument_kind::text, false}},
           {},
           false,
           knowing}};
}

std::vector<option_doc> all_global_options() {
  return {{"help", 'h', "", "the short help: examples first"},
          {"help-all", 0, "", "the whole help: all options, defaults, exit codes"},
          {"output",
           'o',
           "FORMAT",
           "form of the result on stdout",
           {"table", "json", "jsonl", "csv"},
           "table"},
          {"color",
           0,
           "WHEN",
           "colours; NO_COLOR, FORCE_COLOR and TERM are honoured",
           {"auto", "always", "never"},
           "auto"},
          {"quiet", 'q', "", "say nothing on stderr but errors"},
          {"verbose",
           'v',
           "",
           "say more on stderr; twice: everything",
           {},
           "",
           argument_kind::text,
           true},
          {"version", 0, "", "tell the version"}};
}

} // namespace

const std::vector<command_doc>& commands() {
  static const auto all = all_commands();
  return all;
}

const std::vector<option_doc>& global_options() {
  static const auto all = all_global_options();
  return all;
}

const command_doc* find_command(std::string_view name) {
  const auto& all = commands();
  auto i = std::find_if(all.begin(), all.end(), [name](const auto& x) { return x.name == name; });
  return i == all.end() ? nullptr : &*i;
}

std::string option_text(const option_doc& x) {
  auto result = x.letter == 0 ? std::string{} : std::string{'-', x.letter} + ", ";
  result.append("--").append(x.name);
  if (!x.argument.empty())
    result.append(" ").append(x.argument);
  if (!x.word.empty())
    result.append("[=").append(x.word).append("]");
  return result;
}

std::string usage_line(const command_doc& x) {
  auto result = program_name() + " " + std::string{x.name};
  for (const auto& p : x.positionals)
    result.append(p.required ? " " : " [")
        .append(p.name)
        .append(p.repeats ? "..." : "")
        .append(p.required ? "" : "]");
  for (const auto& option : x.options) {
    if (!reaches_head(option))
      result += " [" + option_text(option) + "]";
  }
  if (x.overrides)
    result += " [--section.key VALUE]...";
  return result;
}

} // namespace tune::cli
