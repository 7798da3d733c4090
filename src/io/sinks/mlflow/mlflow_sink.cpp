// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/mlflow/mlflow_sink.hpp"

#include "sinks/csv_rows.hpp"
#include "sinks/event_lines.hpp"
#include "sinks/mlflow/mlflow_client.hpp"
#include "sinks/mlflow/mlflow_names.hpp"
#include "sinks/sink_mark.hpp"

#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace tune {

namespace {

constexpr auto url_variable = "MLFLOW_TRACKING_URI";
constexpr auto experiment_tag = "tune.experiment";
constexpr auto trial_tag = "tune.trial";
constexpr auto parent_tag = "mlflow.parentRunId";
/// What is to be done for one run, in this order.
struct run_news {
  std::int64_t start_ms = 0;
  mlflow::texts params;
  mlflow::texts tags;
  std::vector<mlflow::number> metrics;
  /// Empty: stays as it is.
  std::string status;
  std::int64_t end_ms = 0;
};

std::string status_in_mlflow(const experiment_end& how) {
  if (how.status == "failed" || how.status == "stalled")
    return "FAILED";
  return how.status == "interrupted" || how.status == "left_off" ? "KILLED" : "FINISHED";
}

class mlflow_sink final : public trial_sink {
public:
  mlflow_sink(const sink_context& with, const std::string& url, std::string experiment)
      : url_{url}
      , experiment_name_{std::move(experiment)}
      , is_export_{with.is_export}
      , marks_{with.directory, "mlflow"}
      , to_{url, with.time_left} {}

  void introduced(const experiment_facts& what) override {
    of_ = what;
    if (experiment_name_.empty())
      experiment_name_ = what.name;
    mark_ = is_export_ ? std::nullopt : marks_.read(what.identity);
    // Another server has heard nothing yet.
    if (mark_ && mark_->state != target())
      mark_.reset();
  }
  [[nodiscard]] sequence cursor() const override { return mark_ ? mark_->seq : 0; }

  void opened(const log_place& where, const on::opened& what) override {
    auto& run = whole_news(where);
    run.status = "RUNNING";
    run.end_ms = 0;
    set(run.tags, "tune.epoch", std::to_string(what.epoch));
    for (const auto& x : of_.objectives)
      set(run.tags, "tune.objective." + mlflow::key_of(x.metric), x.maximise ? "max" : "min");
    for (const auto& [name, text] : of_.space)
      set(run.tags, "tune.space." + mlflow::key_of(name), mlflow::tag_text(text));
  }

  void started(const log_place& where, const on::placed& what, const object& config) override {
    auto& run = news(what.trial, where);
    run.status = "RUNNING";
    run.end_ms = 0;
    set(run.tags, "tune.attempt", to_text(what.attempt));
    set(run.tags, "tune.node", mlflow::tag_text(nodes_of(what.what)));
    // Parameters of MLflow never change; those of a trial may.
    set(run.tags, "tune.config", mlflow::tag_text(to_json(config)));
    if (!has_params_.emplace(what.trial, true).second)
      return;
    for (const auto& [name, x] : flatten(config))
      run.params.emplace_back(mlflow::key_of(name), mlflow::param_text(x));
  }

  void reported(const log_place& where, const report& what) override {
    auto& run = news(what.trial, where);
    static const object none;
    for (const auto& [name, x] : leaves_of(what.metrics == nullptr ? none : *what.metrics)) {
      if (auto number = x.number())
        run.metrics.push_back({mlflow::key_of(name), *number, what.timestamp_ms, what.iteration});
    }
    run.metrics.push_back({"time_total_s", std::chrono::duration<double>(what.time_total).count(),
                           what.timestamp_ms, what.iteration});
  }

  void concluded(const log_place& where, const trial_facts& what) override {
    auto& run = news(what.trial, where);
    run.status = what.status == trial_status::errored ? "FAILED" : "FINISHED";
    run.end_ms = where.wall_ms;
    set(run.tags, "tune.status", std::string{to_text(what.status)});
    set(run.tags, "tune.reason", mlflow::tag_text(what.reason));
    set(run.tags, "tune.origin", mlflow::tag_text(what.origin));
    if (!what.error.empty())
      set(run.tags, "tune.error", mlflow::tag_text(what.error));
    if (!what.best_metrics)
      return;
    set(run.tags, "tune.best_iteration", std::to_string(what.best_iteration));
    for (const auto& x : of_.objectives) {
      const auto* found = find_path(*what.best_metrics, x.metric);
      if (const auto number = found == nullptr ? std::nullopt : found->number())
        run.metrics.push_back(
            {"best/" + mlflow::key_of(x.metric), *number, where.wall_ms, what.best_iteration});
    }
  }

  void finished(const log_place& where, const experiment_end& how) override {
    auto& run = whole_news(where);
    run.status = status_in_mlflow(how);
    run.end_ms = where.wall_ms;
    set(run.tags, "tune.status", how.status);
    set(run.tags, "tune.why", mlflow::tag_text(how.why));
  }

  [[nodiscard]] expected<void> flush(sequence place) override {
    if (auto ready = meet(); !ready)
      return ready;
    // The parent comes first, its end last.
    if (auto told = tell_parent(); !told)
      return told;
    while (!news_.empty()) {
      auto& [trial, what] = *news_.begin();
      const auto is_parent = !trial;
      if (auto told = is_parent ? update(*parent_, what) : tell(*trial, what); !told)
        return told;
      news_.erase(news_.begin());
    }
    mark_ = sink_mark{place, of_.identity, {}, true, target()};
    return is_export_ ? expected<void>{} : marks_.write(*mark_);
  }

private:
  std::string url_;
  std::string experiment_name_;
  bool is_export_;
  sink_mark_file marks_;
  mlflow::client to_;
  experiment_facts of_;
  std::optional<sink_mark> mark_;
  /// By trial; nothing: the experiment's own run.
  std::map<std::optional<trial_id>, run_news> news_;
  std::map<trial_id, bool> has_params_;
  /// Id of the experiment there, of its own run, and of each trial's.
  std::string experiment_id_;
  std::optional<std::string> parent_;
  std::map<trial_id, std::string> runs_;

  [[nodiscard]] object target() const { return {{"url", url_}, {"experiment", experiment_name_}}; }

  run_news& news(trial_id which, const log_place& where) {
    auto& result = news_[which];
    if (result.start_ms == 0)
      result.start_ms = where.wall_ms;
    return result;
  }
  /// The experiment's own run.
  run_news& whole_news(const log_place& where) {
    auto& result = news_[std::nullopt];
    if (result.start_ms == 0)
      result.start_ms = where.wall_ms;
    return result;
  }

  /// The last one counts.
  static void set(mlflow::texts& to, const std::string& key, const std::string& text) {
    for (auto& [name, x] : to) {
      if (name == key) {
        x = text;
        return;
      }
    }
    to.emplace_back(key, text);
  }

  /// Finds the experiment, and what an earlier run, or an export, has told of this one.
  expected<void> meet() {
    if (!experiment_id_.empty())
      return {};
    auto id = to_.experiment(experiment_name_);
    if (!id)
      return id.error();
    auto runs = to_.runs(*id, experiment_tag, of_.identity);
    if (!runs)
      return runs.error();
    for (auto& x : *runs) {
      const auto trial = x.tags.find(trial_tag);
      if (trial == x.tags.end()) {
        parent_ = x.id;
        continue;
      }
      auto number = parse_integer(trial->second);
      if (number && *number >= 0) {
        const trial_id which{static_cast<std::uint64_t>(*number)};
        runs_[which] = x.id;
        if (x.tags.contains("tune.config"))
          has_params_.emplace(which, true);
      }
    }
    experiment_id_ = *id;
    return {};
  }

  expected<void> tell_parent() {
    if (parent_)
      return {};
    auto made = to_.create_run(experiment_id_, of_.name, of_.created_ms,
                               {{experiment_tag, of_.identity}, {"tune.kind", "experiment"}});
    if (!made)
      return made.error();
    parent_ = *made;
    return {};
  }

  expected<void> tell(trial_id trial, const run_news& what) {
    auto found = runs_.find(trial);
    if (found == runs_.end()) {
      auto made = to_.create_run(experiment_id_, to_text(trial), what.start_ms,
                                 {{parent_tag, *parent_},
                                  {experiment_tag, of_.identity},
                                  {trial_tag, std::to_string(trial.number)}});
      if (!made)
        return made.error();
      found = runs_.emplace(trial, *made).first;
    }
    return update(found->second, what);
  }

  expected<void> update(const std::string& run, const run_news& what) {
    if (auto logged = to_.log(run, what.params, what.tags, what.metrics); !logged)
      return logged;
    return what.status.empty() ? expected<void>{} : to_.update(run, what.status, what.end_ms);
  }
};

std::string url_of(const options& with) {
  const auto written = text_or_none(with, "url");
  return written.empty() ? environment_text(url_variable) : written;
}

} // namespace

builtin_sink mlflow_entry() {
  option_spec url{"url", option_kind::text, ""};
  url.meaning = "the tracking server; none: MLFLOW_TRACKING_URI";
  option_spec experiment{"experiment", option_kind::text, ""};
  experiment.meaning = "the experiment's name there; none: its name here";
  builtin_sink result{{"mlflow",
                       "a run for each trial on an MLflow tracking server, below one for "
                       "the experiment",
                       "docs/sinks.md",
                       {url, experiment},
                       {}},
                      {}};
  result.entry.make
      = [](const options& with, const sink_context& of) -> expected<std::unique_ptr<trial_sink>> {
    auto where = url_of(with);
    if (auto why = why_no_url(where); !why.empty())
      return error{ec::bad_option, "url: " + why};
    return std::unique_ptr<trial_sink>{
        std::make_unique<mlflow_sink>(of, where, text_or_none(with, "experiment"))};
  };
  result.check = [](const options& with) -> expected<void> {
    const auto where = url_of(with);
    if (where.empty())
      return error{ec::bad_option, std::string{"url: must be the address of a tracking server; "}
                                       + url_variable + " is not set either"};
    if (auto why = why_no_url(where); !why.empty())
      return error{ec::bad_option, "url: " + why};
    return {};
  };
  return result;
}

} // namespace tune
