// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/at_head.hpp"
#include "command/command_options.hpp"
#include "command/option_values.hpp"

namespace tune::cli {

namespace {

expected<words> names_from(const std::string& text) {
  return comma_parts(text);
}

} // namespace

command_doc status_doc() {
  command_doc result{"status",
                     "tell how an experiment stands, running or not",
                     {{"tune-node status results/digits-mlp", "counts, the best, what runs"},
                      {"tune-node status results/digits-mlp -o json", "the same for a program"}},
                     {directory_argument()}};
  result.family = looking;
  return result;
}

bound_options<trials_request> options_of_trials() {
  return {
      bound_count({"why", 0, "TRIAL", "tell what was decided about one trial, and why"},
                  &trials_request::why, 0),
      bound_count(
          {"policy", 0, "TRIAL",
           "print the schedule of configurations that PBT found for one trial, for pbt_replay"},
          &trials_request::policy, 0),
      bound_choice({"status",
                    0,
                    "STATUS",
                    "only trials in this status",
                    {"pending", "running", "paused", "terminated", "errored"}},
                   &trials_request::status),
      bound({"failed", 0, "", "what trials failed with, and how many of each kind"},
            &trials_request::failed),
      bound({"pareto", 0, "", "only trials that no other one beats in all objectives"},
            &trials_request::pareto),
      bound({"sort",
             0,
             "KEY",
             "order by any column, a metric (objectives best first), or a parameter; KEY:asc and "
             "KEY:desc say the direction",
             {},
             "trial"},
            &trials_request::sort),
      bound({"reverse", 0, "", "in the opposite order"}, &trials_request::reverse),
      bound_choice(
          {"scope",
           0,
           "SCOPE",
           "which reports speak for a trial: the best, the last, or of each metric a mean, "
           "the least "
           "or the most",
           {"best", "last", "avg", "last-5-avg", "last-10-avg", "min", "max"},
           "best"},
          &trials_request::scope),
      bound({"columns", 0, "NAME,...", "what to show, in this order; all: all that there are"},
            &trials_request::columns, names_from),
      bound_count({"limit",
                   0,
                   "N",
                   "at most so many trials; 0: all",
                   {},
                   "all; 100 in a table off a terminal",
                   argument_kind::number},
                  &trials_request::limit, 0)};
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
      docs_of(options_of_trials())};
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

bound_options<importance_request> options_of_importance() {
  return {
      bound({"metric", 0, "NAME", "an objective", {}, "the first"}, &importance_request::metric),
      bound({"best", 0, "SHARE", "share of the trials that counts as the best, 0 to 1", {}, "0.1"},
            &importance_request::best_share, share_from),
      bound_choice({"by",
                    0,
                    "MEASURE",
                    "auto: by a model where the searcher learnt, else by where the best trials are",
                    {"auto", "ped-anova", "model"},
                    "auto"},
                   &importance_request::by)};
}

command_doc importance_doc() {
  command_doc result{"importance",
                     "tell which parameters made the difference between good trials and others",
                     {{"tune-node importance results/digits-mlp", "the most important first"},
                      {"tune-node importance results/digits-mlp --by ped-anova --best 0.25",
                       "by where the best quarter of all trials is"}},
                     {directory_argument()},
                     docs_of(options_of_importance())};
  result.family = looking;
  return result;
}

bound_options<fsck_request> options_of_fsck() {
  return {bound({"verify", 0, "", "compute the answers of scheduler and searcher once more"},
                &fsck_request::verify)};
}

command_doc fsck_doc() {
  return {
      "fsck",
      "check an experiment's record against all that is promised of it",
      {{"tune-node fsck results/digits-mlp", "exit 7 and the findings, or one line"},
       {"tune-node fsck results/digits-mlp --verify", "compute all recorded answers again, too"},
       {"tune-node fsck results/digits-mlp --output json", "the same for a program"}},
      {{"DIR", {}, argument_kind::directory}},
      docs_of(options_of_fsck())};
}

bound_options<logs_request> options_of_logs() {
  return {
      bound({"follow", 'f', "", "go on with what comes, until the trial ends or nobody runs it"},
            &logs_request::follow),
      bound({"stderr", 0, "", "what the trial wrote to stderr"}, &logs_request::errors),
      bound({"raw", 0, "", "leave control characters as they are, also on a terminal"},
            &logs_request::raw)};
}

command_doc logs_doc() {
  command_doc result{
      "logs",
      "show what a trial printed, or the experiment's own log",
      {{"tune-node logs results/digits-mlp 42", "stdout of trial 42"},
       {"tune-node logs results/digits-mlp 42 --stderr --follow", "its stderr, until it ends"},
       {"tune-node logs results/digits-mlp", "the file of [log] file"}},
      {directory_argument(), {"TRIAL", {}, argument_kind::number, false}},
      docs_of(options_of_logs())};
  result.family = looking;
  return result;
}

bound_options<wait_request> options_of_wait() {
  return {bound({"strict", 0, "", "exit 4 when any trial failed"}, &wait_request::strict)};
}

command_doc wait_doc() {
  command_doc result{
      "wait",
      "wait for the end of an experiment, and write its result as run does",
      {{"tune-node wait results/digits-mlp", "and end with its exit code"},
       {"best=$(tune-node wait results/digits-mlp -o json)", "its result for a program"}},
      {directory_argument()},
      docs_of(options_of_wait())};
  result.family = looking;
  return result;
}

bound_options<fetch_request> options_of_fetch() {
  return {
      bound_choice({"what",
                    0,
                    "PART",
                    "what is fetched",
                    {"checkpoint", "exports", "trial", "experiment"},
                    "checkpoint"},
                   &fetch_request::what),
      bound({"to",
             0,
             "DIR",
             "the copy, which must not be there",
             {},
             "in this directory, named after what it is",
             argument_kind::directory},
            &fetch_request::to),
      bound({"endpoint",
             0,
             "URL",
             "address of the object store of s3://bucket/prefix",
             {},
             "AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, Amazon's"},
            &fetch_request::endpoint),
      bound({"region", 0, "NAME", "its region", {}, "AWS_REGION, AWS_DEFAULT_REGION, us-east-1"},
            &fetch_request::region)};
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
      docs_of(options_of_fetch())};
}

bound_options<export_request> options_of_export() {
  return {needed(bound_choice({"format",
                               0,
                               "FORM",
                               "optuna: a storage in a SQLite file; mlflow: runs of a tracking "
                               "server; tensorboard: event "
                               "files; csv, jsonl: as the sinks of these names",
                               {"optuna", "mlflow", "tensorboard", "csv", "jsonl"},
                               ""},
                              &export_request::what),
                 "optuna|mlflow|tensorboard|csv|jsonl"),
          bound({"to",
                 0,
                 "PATH",
                 "the file, or the directory of tensorboard, which must not be there",
                 {},
                 "in this directory, named after the experiment",
                 argument_kind::path},
                &export_request::to),
          bound({"url", 0, "URL", "mlflow: the tracking server", {}, "$MLFLOW_TRACKING_URI"},
                &export_request::url),
          bound({"name", 0, "NAME", "mlflow: the experiment's name there", {}, "its own"},
                &export_request::name)};
}

command_doc export_doc() {
  command_doc result{
      "export",
      "write one in another program's form",
      {{"tune-node export results/digits-mlp --format optuna", "digits-mlp.optuna.db"},
       {"tune-node export results/digits-mlp --format mlflow --url http://127.0.0.1:5000",
        "runs of a tracking server"}},
      {directory_argument()},
      docs_of(options_of_export())};
  result.family = looking;
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

bound_options<config_request> options_of_config() {
  return {bound({"ask-tell", 0, "", "take the file as ask-tell does, which needs no [trainable]"},
                &config_request::ask_tell)};
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
      docs_of(options_of_config()),
      true};
  result.family = choosing;
  return result;
}

} // namespace tune::cli
