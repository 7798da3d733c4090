/// Options of a `tuner` run: the keys of docs/ini.md, set from C++ or taken from a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"
#include "tune/io/spec/resume_mode.hpp"
#include "tune/io/spec/spec.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace caf {
class actor_system;
} // namespace caf

namespace tune {

struct own_scheduler;
struct own_searcher;
class tuner_callback;

/// One experiment to run. A value: copy it, change it, run it again.
///
/// Each setter stands for a key of the INI file, takes the same values, and may be called again:
/// the last value counts. Nothing is checked before `tuner::run`, which reports all faults at once.
/// Keys that are not set have the INI's default; relative paths are relative to the working
/// directory, or to the file's if there is one.
class run_options {
public:
  run_options() = default;
  /// Begins with an INI file; values set here take precedence over it.
  explicit run_options(std::filesystem::path ini_file) { content_.file = std::move(ini_file); }

  /// Sets any key by its full name: `set("scheduler.grace_period", "4")`.
  run_options& set(std::string_view key, std::string text);
  template <class T>
  requires std::is_arithmetic_v<T> run_options& set(std::string_view key, T x) {
    if constexpr (std::is_same_v<T, bool>)
      return set(key, to_text(value{x}));
    else if constexpr (std::is_integral_v<T>)
      return set(key, std::to_string(x));
    else
      return set(key, to_text(value{static_cast<double>(x)}));
  }

  /// The experiment's directory is `storage/name`.
  /// Default name: the file's, else the trainable's.
  run_options& name(std::string text) { return set("experiment.name", std::move(text)); }
  run_options& storage(const std::filesystem::path& directory);

  /// The metrics to optimise. The first determines `best`; further ones make several objectives.
  run_options& maximise(std::string_view metric) { return objective(metric, "max"); }
  run_options& minimise(std::string_view metric) { return objective(metric, "min"); }

  /// Registered name of a function, class or actor.
  run_options& trainable(std::string name) { return set("trainable.name", std::move(name)); }
  /// A program in any language; see docs/command-protocol.md.
  run_options& command(std::string line) { return set("trainable.command", std::move(line)); }
  /// Whether trials run in processes of their own, or on threads of this one.
  ///
  /// Not set: in processes if `host_main` was called, else on threads.
  run_options& isolation(isolation_kind where);
  /// Lets a process whose trial ended well serve further trials, for short trials. An instance of a
  /// class is reset; see `trainable::reset`. Needs `host_main`.
  run_options& reuse_actors(bool wanted = true) { return set("trainable.reuse_actors", wanted); }

  /// A parameter of the search space: "loguniform(1e-5, 0.1)", "choice(32, 64)", "7", "uniform(0,
  /// 1) if optimizer == sgd".
  run_options& parameter(std::string_view name, std::string text);
  /// Configurations, complete or partial, to try first.
  run_options& points(const std::vector<object>& first);

  /// An entry of the searchers' catalogue, with its options.
  run_options& searcher(std::string type, const std::vector<named_text>& options = {});
  /// The user's own actor; see tune/tuner/own_actors.hpp.
  run_options& searcher(own_searcher what);
  /// An entry of the schedulers' catalogue, with its options.
  run_options& scheduler(std::string type, const std::vector<named_text>& options = {});
  /// The user's own actor; see tune/tuner/own_actors.hpp.
  run_options& scheduler(own_scheduler what);

  /// Number of configurations to try, times the size of the grids. 0 = until another limit.
  run_options& num_samples(std::int64_t count) { return set("experiment.num_samples", count); }
  /// Most trials that run at once. 0 = as many as fit.
  run_options& max_concurrent_trials(std::int64_t count) {
    return set("experiment.max_concurrent_trials", count);
  }
  run_options& seed(std::int64_t number) { return set("experiment.seed", number); }
  run_options& time_limit(std::chrono::nanoseconds limit);
  /// Ends a trial once `metric` is at least `bound`; any condition of `[stop]` by
  /// `set("stop.when", "loss < 0.01")`.
  run_options& stop_at(std::string_view metric, double bound);

  /// Resource needs of one trial: "cpu", "gpu", "memory", "custom.licence".
  run_options& resource(std::string_view what, double amount);
  /// Iterations between checkpoints. 0 = never.
  run_options& checkpoint_frequency(std::int64_t iterations);
  /// Retries of a trial whose code failed.
  run_options& max_failures(std::int64_t count) { return set("failure.max_failures", count); }

  /// Lets workers join at "HOST:PORT": `tune-node worker --join` of a program with the same
  /// trainables. Port 0: a free one, which `tuner_callback::listens` reports.
  /// @param certificates The certificate directory; empty: the default one. See docs/security.md.
  run_options& listen(std::string where, const std::filesystem::path& certificates = {});

  /// Goes on where the directory holds an unfinished experiment; without this, such a directory is
  /// refused.
  run_options& resume(bool wanted = true);
  /// Like `resume(true)`, and says what becomes of trials that had failed.
  run_options& resume(resume_mode how);
  /// Lets environment variables such as TUNE_EXPERIMENT_SEED override keys of the file. What is set
  /// here overrides them, as a command line does.
  run_options& read_environment(bool wanted = true);
  /// Told of everything that happens.
  run_options& callback(std::shared_ptr<tuner_callback> what);
  /// Runs in this actor system, made of a configuration that `tune::configure` prepared, instead of
  /// in one of its own. The system must outlive `tuner::run`. Where workers may join, its
  /// configuration must be a `tune::network_config` with the certificates of `listen`.
  run_options& run_in(caf::actor_system& system);

  /// The values that were set, for `tuner`.
  struct content {
    /// Empty: none.
    std::filesystem::path file;
    std::vector<named_text> keys;
    std::optional<resume_mode> resume;
    bool environment = false;
    std::shared_ptr<tuner_callback> callback;
    std::shared_ptr<const own_scheduler> scheduler;
    std::shared_ptr<const own_searcher> searcher;
    caf::actor_system* system = nullptr;
  };
  [[nodiscard]] const content& contents() const { return content_; }

private:
  content content_;
  std::string objectives_;

  run_options& objective(std::string_view metric, std::string_view mode);
  void choose(std::string_view section, std::string type, const std::vector<named_text>& options);
};

} // namespace tune
