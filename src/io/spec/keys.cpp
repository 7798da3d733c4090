// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/keys.hpp"

#include "family_checks.hpp"
#include "key_makers.hpp"
#include "scaling_keys.hpp"
#include "search_keys.hpp"
#include "sharing_keys.hpp"
#include "trainable_keys.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/core/printable.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/json.hpp"
#include "tune/io/probe/peer_address.hpp"
#include "tune/io/spec/convert.hpp"

#include <algorithm>

namespace tune {

namespace {

using namespace key_makers;

constexpr double most_count = 1e9;
constexpr double most_cpus = 1e6;
constexpr double most_runs = 1000;

/// A row bound to the value inside an optional field, for `or_auto`.
#define TUNE_INSIDE(path)                                                                          \
  [](spec & x) -> auto& {                                                                          \
    return *x.path;                                                                                \
  }

expected<void> read_name(spec& x, const std::string& what) {
  // Command lines name it as a word, and heads take no hidden directory for an experiment.
  auto is_bad = what.find('/') != what.npos || what.starts_with('.') || what.starts_with('-')
                || printable(what) != what;
  if (is_bad || what.size() > 200)
    return refusal("name", what,
                   "must be one directory's name: no '/' and no control characters, not beginning "
                   "with '.' or '-', at most 200 bytes");
  x.experiment.name = what;
  return {};
}

key_spec name_key() {
  auto result = text({"experiment", "name", "directory below storage; empty: the INI file's name"},
                     "name of a directory", TUNE_FIELD(experiment.name));
  result.read = read_name;
  return result;
}

key_spec metric_key() {
  auto result = start({"experiment", "metric",
                       "what to optimise; required; the first is what "
                       "\"best\" means"},
                      option_kind::text, "metric, or list such as accuracy:max, latency:min");
  result.write = [](const spec& x) {
    return key_texts::objectives(x.experiment.objectives, x.experiment.maximise);
  };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    auto parsed = key_texts::parse_objectives(what, x.experiment.maximise);
    if (!parsed)
      return error{parsed.error().code, "metric = " + what + ": " + parsed.error().detail};
    x.experiment.objectives = std::move(*parsed);
    return {};
  };
  return result;
}

key_spec constraints_key() {
  auto result = start({"experiment", "constraints",
                       "limits that the best has to keep to: a report that keeps them all is "
                       "better than any that does not"},
                      option_kind::text, "list such as latency <= 20, memory < 2e9");
  result.write = [](const spec& x) { return to_text(x.experiment.constraints); };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    auto parsed = parse_constraints(what);
    if (!parsed)
      return error{parsed.error().code, "constraints = " + what + ": " + parsed.error().detail};
    x.experiment.constraints = std::move(*parsed);
    return {};
  };
  return result;
}

void add_experiment(rows& to) {
  to.push_back(name_key());
  to.push_back(one_of({"experiment", "mode",
                       "whether metrics without :min or :max are to be "
                       "large or small"},
                      {"min", "max"}, TUNE_FIELD(experiment.maximise)));
  to.push_back(metric_key());
  to.push_back(constraints_key());
  to.push_back(integer({"experiment", "confirm",
                        "so many of the best configurations run again at the end, and name the "
                        "winner; 0 = none"},
                       {0, most_runs}, TUNE_FIELD(experiment.confirm)));
  to.push_back(or_auto(integer({"experiment", "confirm_runs",
                                "how often each of them; auto: as [search] repeat, or 3 where "
                                "that is 1"},
                               {1, most_runs}, TUNE_INSIDE(experiment.confirm_runs)),
                       TUNE_FIELD(experiment.confirm_runs)));
  to.push_back(integer({"experiment", "num_samples",
                        "configurations to try, times the size of the grids; 0 = until another "
                        "limit",
                        true},
                       {0}, TUNE_FIELD(experiment.num_samples)));
  to.push_back(
      integer({"experiment", "max_concurrent_trials",
               "trials that may run or wait for resources at once; 0 = as many as fit", true},
              {0}, TUNE_FIELD(experiment.max_concurrent_trials)));
  add_standing_keys(to);
  to.push_back(text({"experiment", "storage",
                     "directory of all experiments, against the working directory", true},
                    "path", TUNE_FIELD(experiment.storage)));
  to.push_back(integer({"experiment", "seed", "the same seed gives the same configurations"}, {0},
                       TUNE_FIELD(experiment.seed)));
  to.push_back(
      duration({"experiment", "time_limit",
                "the run ends in order after so long, summed over resumes; 0 = never", true},
               TUNE_FIELD(experiment.time_limit)));
  to.push_back(duration({"experiment", "training_limit",
                         "the run ends in order once all trials together have trained for so long, "
                         "summed over resumes; 0 = never",
                         true},
                        TUNE_FIELD(experiment.training_limit)));
  to.back().also_environment = "TRIALRUNNER_WALLTIME_LIMIT";
  to.push_back(duration({"experiment", "stall_timeout",
                         "how long a searcher that has nothing yet is asked again while no trial "
                         "is left; 0 = the run ends at once",
                         true},
                        TUNE_FIELD(experiment.stall_timeout)));
}

void add_space(rows& to) {
  to.push_back(family({"space", "", "one parameter: its distribution, grid or constant"},
                      "<parameter>", "domain, or domain if condition", TUNE_FIELD(space)));
}

key_spec bundles_key() {
  auto result = start({"resources", "bundles",
                       "further bundles beside the trainable's own, all "
                       "granted at once",
                       true},
                      option_kind::text,
                      "JSON list such as [{\"cpu\": 1, \"gpu\": 1, \"memory\": \"2GiB\"}]");
  result.write = [](const spec& x) { return bundles_text(x.resources.bundles); };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    auto parsed = parse_bundles(what);
    if (!parsed)
      return refusal("bundles", what, parsed.error().detail);
    x.resources.bundles = std::move(*parsed);
    return {};
  };
  return result;
}

void add_resources(rows& to) {
  to.push_back(number({"resources", "cpu", "CPUs of one trial; fractions are fine", true},
                      {0, most_cpus}, TUNE_FIELD(resources.cpu)));
  to.push_back(number({"resources", "gpu",
                       "GPUs of one trial; a fraction below 1 shares a device, above 1 it must be "
                       "whole",
                       true},
                      {0, most_cpus}, TUNE_FIELD(resources.gpu)));
  to.push_back(
      bytes({"resources", "memory", "memory of one trial", true}, TUNE_FIELD(resources.memory)));
  to.push_back(bundles_key());
  to.push_back(one_of({"resources", "strategy", "how bundles are laid over nodes", true},
                      {"pack", "spread", "strict_pack", "strict_spread"},
                      TUNE_FIELD(resources.strategy)));
  add_demand_keys(to);
  to.push_back(family({"resources", "custom.", "amount of a resource of your own, per trial", true},
                      "<name>", "number >= 0", TUNE_FIELD(resources.custom), check_custom));
}

void add_plugins(rows& to) {
  add_search_keys(to);
  to.push_back(text({"scheduler", "type", "what judges running trials"},
                    "name that `list schedulers` prints", TUNE_FIELD(scheduler.type)));
  to.push_back(family({"scheduler", "", "option of the chosen scheduler"}, "<option>",
                      "as `list schedulers` prints", TUNE_FIELD(scheduler.options)));
  to.push_back(family({"stop", "",
                       "ends a trial: a metric that reaches a number; or `when`, "
                       "`all_when`, `plateau`, `experiment_plateau`",
                       true},
                      "<metric>", "number, condition or plateau", TUNE_FIELD(stop)));
}

void add_failure_budgets(rows& to) {
  to.push_back(
      count({"failure", "max_failures", "retries of a trial after errors of its own code", true},
            TUNE_FIELD(failure.max_failures)));
  to.push_back(count_or_failures(
      {"failure", "max_timeouts", "retries after no progress; default: max_failures", true},
      TUNE_FIELD(failure.max_timeouts)));
  to.push_back(
      count_or_failures({"failure", "max_out_of_memory",
                         "retries after running out of memory; default: max_failures", true},
                        TUNE_FIELD(failure.max_out_of_memory)));
  to.push_back(count_or_failures(
      {"failure", "max_killed", "retries after a signal from outside; default: max_failures", true},
      TUNE_FIELD(failure.max_killed)));
  to.push_back(count({"failure", "max_node_losses", "retries after the loss of a node", true},
                     TUNE_FIELD(failure.max_node_losses)));
}

void add_failure(rows& to) {
  add_failure_budgets(to);
  to.push_back(boolean({"failure", "fail_fast",
                        "the first failure of a trial stops everything, also one that max_failures "
                        "and its like would forgive; a lost node is forgiven as ever",
                        true},
                       TUNE_FIELD(failure.fail_fast)));
  to.push_back(integer(
      {"failure", "max_consecutive_failures",
       "the run ends when so many trials in a row fail alike, before any trial has reported; "
       "0 = never",
       true},
      {0, most_count}, TUNE_FIELD(failure.max_consecutive_failures)));
  to.push_back(duration({"failure", "backoff",
                         "wait before a trial's first retry, doubled each time; 0 = none", true},
                        TUNE_FIELD(failure.backoff)));
  to.push_back(duration({"failure", "most_backoff", "the longest such wait", true},
                        TUNE_FIELD(failure.most_backoff)));
  to.push_back(duration({"failure", "progress_timeout",
                         "an attempt that reports nothing for so long is killed; 0 = never", true},
                        TUNE_FIELD(failure.progress_timeout)));
  to.push_back(boolean({"failure", "restart_from_scratch",
                        "begin anew where all checkpoints of a trial are bad", true},
                       TUNE_FIELD(failure.restart_from_scratch)));
}

void add_checkpoint(rows& to) {
  to.push_back(
      integer({"checkpoint", "frequency", "save every so many iterations; 0 = never", true}, {0},
              TUNE_FIELD(checkpoint.frequency)));
  to.push_back(boolean({"checkpoint", "at_end", "save when a trial ends", true},
                       TUNE_FIELD(checkpoint.at_end)));
  to.push_back(integer({"checkpoint", "keep", "checkpoints to keep of each trial; 0 = all", true},
                       {0}, TUNE_FIELD(checkpoint.keep)));
  to.push_back(text(
      {"checkpoint", "score_attribute", "metric that ranks them; empty: the newest are kept", true},
      "metric", TUNE_FIELD(checkpoint.score_attribute)));
  to.push_back(one_of({"checkpoint", "score_order",
                       "whether more or less of it is better; auto: as the objective", true},
                      {"auto", "max", "min"}, TUNE_FIELD(checkpoint.score_order)));
  to.push_back(bytes({"checkpoint", "max_bytes_per_trial",
                      "room for the checkpoints of a trial; 0 = no limit", true},
                     TUNE_FIELD(checkpoint.max_bytes_per_trial)));
  to.push_back(bytes(
      {"checkpoint", "max_bytes", "room for the checkpoints of all trials; 0 = no limit", true},
      TUNE_FIELD(checkpoint.max_bytes)));
  to.push_back(bytes({"checkpoint", "max_size",
                      "the largest checkpoint, holes of sparse files counted; 0 = no limit", true},
                     TUNE_FIELD(checkpoint.max_size)));
  to.push_back(integer(
      {"checkpoint", "max_files", "files, directories and links of one checkpoint, at most", true},
      {1, max_checkpoint_entries}, TUNE_FIELD(checkpoint.max_files)));
  to.push_back(one_of({"checkpoint", "pause_storage",
                       "where what a trial pauses with lies: on disk as any checkpoint, or in the "
                       "memory of its node",
                       true},
                      {"disk", "memory"}, TUNE_FIELD(checkpoint.pause_storage)));
  to.push_back(bytes({"checkpoint", "pause_memory",
                      "room for that in the memory of each node; what is more goes to disk", true},
                     TUNE_FIELD(checkpoint.pause_memory)));
}

key_spec listen_key() {
  auto result = text(
      {"cluster", "listen", "where workers join; empty: nowhere, and no port is opened", true},
      "HOST:PORT", TUNE_FIELD(cluster.listen));
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    if (!what.empty()) {
      if (auto read = peer_address_from(what); !read)
        return error{read.error().code, "listen: " + read.error().detail};
    }
    x.cluster.listen = what;
    return {};
  };
  return result;
}

key_spec lost_after_key() {
  auto result
      = duration({"cluster", "lost_after",
                  "a worker that is silent for so long is lost: its trials run elsewhere", true},
                 TUNE_FIELD(cluster.lost_after));
  result.form = "duration, 1s to 24h";
  result.read = [plain = result.read](spec& x, const std::string& what) -> expected<void> {
    if (auto read = plain(x, what); !read)
      return read;
    if (auto fits = validate(liveness_rules{x.cluster.lost_after}); !fits)
      return refusal("lost_after", what, "must be 1s to 24h");
    return {};
  };
  return result;
}

key_spec head_grace_key() {
  auto result = duration({"cluster", "head_grace",
                          "how long workers keep their trials for a head that died: the next head "
                          "on the same storage takes them back; 0 = not at all",
                          true},
                         TUNE_FIELD(cluster.head_grace));
  result.form = "duration, 0 or 1s to 24h";
  result.read = [plain = result.read](spec& x, const std::string& what) -> expected<void> {
    if (auto read = plain(x, what); !read)
      return read;
    if (auto fits = validate(liveness_rules{default_lost_after, x.cluster.head_grace}); !fits)
      return refusal("head_grace", what, "must be 0, or 1s to 24h");
    return {};
  };
  return result;
}

void add_cluster(rows& to) {
  to.push_back(or_auto(number({"cluster", "cpus", "CPUs this machine offers", true}, {0, most_cpus},
                              TUNE_INSIDE(cluster.cpus)),
                       TUNE_FIELD(cluster.cpus)));
  to.push_back(or_auto(number({"cluster", "gpus", "GPUs this machine offers", true}, {0, most_cpus},
                              TUNE_INSIDE(cluster.gpus)),
                       TUNE_FIELD(cluster.gpus)));
  to.push_back(or_auto(
      bytes({"cluster", "memory", "memory this machine offers", true}, TUNE_INSIDE(cluster.memory)),
      TUNE_FIELD(cluster.memory)));
  to.push_back(listen_key());
  to.push_back(text(
      {"cluster", "hosts", "machines on which `launch` starts workers, as ssh knows them", true},
      "HOST, HOST:PORT, USER@HOST", TUNE_FIELD(cluster.hosts)));
  to.push_back(
      text({"cluster", "certs",
            "directory of certificates, against the working directory; empty: $TUNE_CERTS, "
            "or tune-node/certs in $XDG_CONFIG_HOME or ~/.config",
            true},
           "path", TUNE_FIELD(cluster.certs)));
  to.push_back(boolean({"cluster", "insecure_plaintext",
                        "no TLS for workers; only where listen is a loopback address", true},
                       TUNE_FIELD(cluster.insecure_plaintext)));
  to.push_back(text({"cluster", "name", "workers of other clusters are sent away", true}, "name",
                    TUNE_FIELD(cluster.name)));
  to.push_back(boolean({"cluster", "local", "this machine runs trials, too", true},
                       TUNE_FIELD(cluster.local)));
  to.push_back(boolean({"cluster", "queue_trials",
                        "wait for the cluster to grow instead of refusing what cannot fit", true},
                       TUNE_FIELD(cluster.queue_trials)));
  to.push_back(one_of({"cluster", "policy", "fill nodes one by one, or spread trials evenly", true},
                      {"pack", "spread"}, TUNE_FIELD(cluster.policy)));
  add_label_keys(to);
  to.push_back(lost_after_key());
  to.push_back(head_grace_key());
  add_scaling_keys(to);
  to.push_back(duration({"cluster", "kill_grace", "between TERM and KILL", true},
                        TUNE_FIELD(cluster.kill_grace)));
  to.push_back(duration({"cluster", "stop_grace",
                         "how long a trial that must stop may take until TERM: to its last result, "
                         "or to save where somebody waits for its end, and from the answer that "
                         "tells it to end; 0 = as long as it takes",
                         true},
                        TUNE_FIELD(cluster.stop_grace)));
  to.push_back(family({"cluster", "custom.",
                       "amount of a resource of your own that this machine "
                       "offers",
                       true},
                      "<name>", "number >= 0", TUNE_FIELD(cluster.custom), check_custom));
}

void add_log(rows& to) {
  to.push_back(one_of({"log", "level", "least urgency of lines of the log file", true},
                      {"trace", "debug", "info", "warning", "error", "off"},
                      TUNE_FIELD(log.level)));
  to.push_back(
      boolean({"log", "trial_files", "write result files into each trial's directory", true},
              TUNE_FIELD(log.trial_files)));
  to.push_back(boolean({"log", "costs", "write what training costs into every report", true},
                       TUNE_FIELD(log.costs)));
  to.push_back(
      text({"log", "file", "the runtime's own log, against the experiment's directory; empty: none",
            true},
           "path", TUNE_FIELD(log.file)));
}

void add_sinks(rows& to) {
  to.push_back(duration({"sinks", "finish_timeout",
                         "how long all sinks together may take when the run is over", true},
                        TUNE_FIELD(sinks.finish_timeout)));
  to.push_back(family({"sinks", "", "a sink, or one of its options: tune-node list sinks", true},
                      "<sink>[.<option>]", "on, off, or the sink's first option",
                      TUNE_FIELD(sinks.lines)));
}

#undef TUNE_INSIDE

rows make_rows() {
  rows result;
  add_experiment(result);
  add_trainable_keys(result);
  add_space(result);
  add_resources(result);
  add_plugins(result);
  add_failure(result);
  add_checkpoint(result);
  add_cluster(result);
  add_log(result);
  add_sinks(result);
  return result;
}

} // namespace

const std::vector<key_spec>& spec_keys() {
  static const auto table = make_rows();
  return table;
}

} // namespace tune
