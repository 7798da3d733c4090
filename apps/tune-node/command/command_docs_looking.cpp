// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/at_head.hpp"

namespace tune::cli {

command_doc status_doc() {
  command_doc result{"status",
                     "tell how an experiment stands, running or not",
                     {{"tune-node status results/digits-mlp", "counts, the best, what runs"},
                      {"tune-node status results/digits-mlp -o json", "the same for a program"}},
                     {directory_argument()}};
  result.family = looking;
  return result;
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

command_doc compare_doc() {
  command_doc result{
      "compare",
      "compare experiments: keys, spaces, best trials, times",
      {{"tune-node compare results/digits results/digits-2", "what differs"},
       {"tune-node compare results/digits results/digits-2 -o json", "the same for a program"}},
      {directory_argument(), {"DIR", {}, argument_kind::directory, true, true}}};
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
      {directory_argument()},
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

command_doc logs_doc() {
  command_doc result{
      "logs",
      "show what a trial printed, or the experiment's own log",
      {{"tune-node logs results/digits-mlp 42", "stdout of trial 42"},
       {"tune-node logs results/digits-mlp 42 --stderr --follow", "its stderr, until it ends"},
       {"tune-node logs results/digits-mlp", "the file of [log] file"}},
      {directory_argument(), {"TRIAL", {}, argument_kind::number, false}},
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
      {directory_argument()},
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
       {"tune-node fetch digits-mlp --head head:7700 --what experiment", "all of it, from a head"},
       {"tune-node fetch s3://bucket/runs/digits-mlp --what experiment",
        "all of it, from a bucket"}},
      {directory_argument(), {"TRIAL", {}, argument_kind::number, false}},
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
        argument_kind::directory},
       {"endpoint",
        0,
        "URL",
        "address of the object store of s3://bucket/prefix",
        {},
        "AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, Amazon's"},
       {"region", 0, "NAME", "its region", {}, "AWS_REGION, AWS_DEFAULT_REGION, us-east-1"}}};
}

command_doc export_doc() {
  command_doc result{
      "export",
      "write one in another program's form",
      {{"tune-node export results/digits-mlp --format optuna", "digits-mlp.optuna.db"},
       {"tune-node export results/digits-mlp --format mlflow --url http://127.0.0.1:5000",
        "runs of a tracking server"}},
      {directory_argument()},
      {{"format",
        0,
        "FORM",
        "optuna: a storage in a SQLite file; mlflow: runs of a tracking server; tensorboard: event "
        "files; csv, jsonl: as the sinks of these names",
        {"optuna", "mlflow", "tensorboard", "csv", "jsonl"},
        ""},
       {"to",
        0,
        "PATH",
        "the file, or the directory of tensorboard, which must not be there",
        {},
        "in this directory, named after the experiment",
        argument_kind::path},
       {"url", 0, "URL", "mlflow: the tracking server", {}, "$MLFLOW_TRACKING_URI"},
       {"name", 0, "NAME", "mlflow: the experiment's name there", {}, "its own"}}};
  result.family = looking;
  return result;
}

command_doc serve_doc() {
  command_doc result{
      "serve",
      "show and steer experiments in a browser",
      {{"tune-node serve", "all experiments below results; prints a link"},
       {"tune-node serve results/digits-mlp", "this one"},
       {"tune-node serve --http 0.0.0.0:7780 --allow-host lab", "for others, by TLS"}},
      {{"DIR", {}, argument_kind::directory, false}},
      {{"http", 0, "HOST:PORT", "where; port 0: any that is free", {}, "127.0.0.1:7780, or near"},
       {"certs",
        0,
        "DIR",
        "certificate directory for TLS; off loopback there is always TLS",
        {},
        default_certs,
        argument_kind::directory},
       {"token-file",
        0,
        "FILE",
        "where the token is; made if missing, mode 0600",
        {},
        "tune-node/http-token in $XDG_STATE_HOME or ~/.local/state",
        argument_kind::path},
       {"new-token", 0, "", "make a new token: all links given so far are worth nothing"},
       {"allow-host", 0, "NAME,...", "further names by which browsers reach this server"}}};
  result.family = drawing;
  return result;
}

command_doc report_doc() {
  command_doc result{
      "report",
      "write what an experiment found as one page, to keep and to hand on",
      {{"tune-node report results/digits-mlp", "into digits-mlp.html: words, tables, charts"},
       {"tune-node report results/digits results/digits-2 -o both.html", "two side by side"}},
      {{"DIR", {}, argument_kind::directory, true, true}},
      {{"output",
        'o',
        "FILE",
        "the page, which needs no other file; -: stdout",
        {},
        "the experiment's name, .html",
        argument_kind::path}}};
  result.family = drawing;
  return result;
}

command_doc plot_doc() {
  command_doc result{
      "plot",
      "draw a chart of an experiment in the terminal, or as SVG",
      {{"tune-node plot results/digits-mlp", "the best so far, over trials"},
       {"tune-node plot results/digits-mlp curves --x time --log", "learning curves"},
       {"tune-node plot results/digits-mlp rungs -o rungs.svg", "who was cut where, as a picture"}},
      {directory_argument(),
       {"KIND",
        {"history", "curves", "importance", "parallel", "slice", "pareto", "rungs", "timeline"},
        argument_kind::text,
        false}},
      {{"metric", 0, "NAME", "which metric", {}, "the first objective"},
       {"x",
        0,
        "AXIS",
        "what lies across: of history trial or time, of curves iteration, time or cost",
        {"iteration", "time", "trial", "cost"}},
       {"log",
        0,
        "",
        "logarithms upwards; of one axis or both",
        {"x", "y", "xy"},
        "",
        argument_kind::text,
        false,
        "AXES"},
       {"parameter", 0, "NAME", "of slice: the parameter", {}, "the first"},
       {"trials", 0, "N", "of curves: how many of the best", {}, "30", argument_kind::number},
       {"width",
        0,
        "N",
        "columns; of an SVG pixels",
        {},
        "the terminal's; 900",
        argument_kind::number},
       {"height", 0, "N", "lines; of an SVG pixels", {}, "20; 480", argument_kind::number},
       {"ascii", 0, "", "no other characters than ASCII's"},
       {"output",
        'o',
        "FILE",
        "an SVG in the place of characters; -: stdout",
        {},
        "",
        argument_kind::path}}};
  result.family = drawing;
  return result;
}

command_doc top_doc() {
  command_doc result{
      "top",
      "follow an experiment over the whole terminal, and steer it",
      {{"tune-node top results/digits-mlp", "trials, curves, logs; ? lists the keys"},
       {"tune-node top digits-mlp --head head:7700", "an experiment at a head"}},
      {{"DIR", {}, argument_kind::directory, false}},
      head_options()};
  result.family = drawing;
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

} // namespace tune::cli
