/// One experiment that is looked at again and again: its summary in memory, brought up to date with
/// what its record says at each look.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/variant/variant.hpp"
#include "tune/io/control/control_words.hpp"
#include "tune/io/spec/spec.hpp"
#include "tune/io/store/store_reader.hpp"
#include "view/joined_metric.hpp"
#include "view/node_track.hpp"
#include "view/place.hpp"
#include "view/result_track.hpp"
#include "view/retry_track.hpp"
#include "view/trained_track.hpp"
#include "view/trial_table.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace tune::cli {

/// What the newest head of an experiment was started with.
struct recorded_start {
  spec what;
  comparing_rules by;
  std::uint64_t seed = 0;
  /// As `wanted_configurations` counts them: that takes time, too.
  std::optional<variant_search::extent> wanted;
  /// As `parameters_value` tells them: reading a space takes time.
  value parameters;
  /// The whole configuration, without the values of environment variables.
  value shown;
};

/// What only a living head knows.
struct live_facts {
  /// Whether a head leads the experiment, as far as this machine can tell.
  bool live = false;
  /// Empty if it did not answer.
  std::optional<control_status> status;
};

/// The summary of an experiment at one moment.
struct experiment_summary {
  head_facts head;
  std::shared_ptr<const recorded_start> start;
  trial_table trials{comparing_rules{}};
  /// Empty until somebody asks for it.
  std::optional<result_track> track;
  /// Empty until somebody asks for it.
  std::optional<trained_track> trained;
  /// One for each joined column of `trials`.
  std::map<column_name, joined_metric> joined;
  /// Number of events by kind that were seen since the summary was begun, without those before.
  std::map<std::string, std::uint64_t> kinds;
};

/// Holds a summary still as long as it lives: keep it short.
class seen_experiment {
public:
  seen_experiment(std::shared_lock<std::shared_mutex> lock, const experiment_summary& what)
      : lock_{std::move(lock)}, what_{&what} {}
  const experiment_summary* operator->() const { return what_; }
  const experiment_summary& operator*() const { return *what_; }

private:
  std::shared_lock<std::shared_mutex> lock_;
  const experiment_summary* what_;
};

/// What a look needs beyond the trials.
struct looking_for {
  std::vector<column_name> columns = {};
  bool track = false;
  bool trained = false;
};

/// May be used by several threads at once; all calls may block on the disk.
class watched_experiment {
public:
  explicit watched_experiment(std::filesystem::path directory) : directory_{std::move(directory)} {}

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  /// The summary, up to date.
  /// @errors as `open_experiment`; `ec::timeout` if another process's lock is in the way.
  [[nodiscard]] expected<seen_experiment> look(const looking_for& what = {});

  /// Calls `work` with a reader that nobody else uses meanwhile.
  template <class Work>
  auto with_reader(Work work) -> decltype(work(std::declval<store_reader&>())) {
    auto reader = borrow();
    if (!reader)
      return reader.error();
    auto result = work(**reader);
    // A connection that met a fault is not used again.
    if (result)
      give_back(std::move(*reader));
    return result;
  }

  /// When nodes were away, up to now.
  /// @errors as `with_reader`.
  [[nodiscard]] expected<std::vector<node_track::absence>> absences();

  /// See `node_track::placements`, up to now.
  /// @errors as `with_reader`.
  [[nodiscard]] expected<std::map<trial_id, node_track::placement>> placements();

  /// Which trials ran again after they had ended, up to now.
  /// @errors as `with_reader`.
  [[nodiscard]] expected<retry_map> retries();

  /// Asked of the head at most once a second, and where `look` has seen that clients added trials.
  [[nodiscard]] live_facts live();
  /// How many trials the summary holds.
  [[nodiscard]] std::size_t trials_kept() const { return kept_; }

private:
  using reader_ptr = std::unique_ptr<store_reader>;

  /// Most idle connections that are kept.
  static constexpr std::size_t most_idle = 4;

  std::filesystem::path directory_;

  std::mutex pool_guard_;
  std::vector<reader_ptr> idle_;
  std::optional<file_identity> file_;
  /// Counts the databases that were seen in this place.
  std::uint64_t generation_ = 0;

  std::shared_mutex guard_;
  experiment_summary summary_;
  std::uint64_t of_generation_ = 0;
  std::atomic<std::size_t> kept_{0};
  /// Trials in the summary that clients added.
  std::atomic<std::uint64_t> added_{0};

  std::mutex nodes_guard_;
  node_track nodes_;
  /// Follows the same events.
  retry_track retries_;
  std::uint64_t nodes_generation_ = 0;

  std::mutex live_guard_;
  live_facts live_;
  std::chrono::steady_clock::time_point asked_{};
  /// `added_` when it was asked.
  std::uint64_t added_then_ = 0;

  [[nodiscard]] expected<reader_ptr> borrow();
  void give_back(reader_ptr x);
  [[nodiscard]] std::uint64_t generation();
  [[nodiscard]] bool has(const head_facts& head, const looking_for& what,
                         std::uint64_t generation) const;
  [[nodiscard]] expected<void> catch_up(store_reader& from, const looking_for& what,
                                        std::uint64_t generation);
  [[nodiscard]] expected<void> begin_if_new(store_reader& from, const head_facts& head,
                                            std::uint64_t generation);
  [[nodiscard]] expected<void> follow_nodes();
  [[nodiscard]] expected<void> begin_tracks(store_reader& from, const looking_for& what);
  [[nodiscard]] bool begin_columns(const looking_for& what);
  [[nodiscard]] expected<bool> begin_joined(store_reader& from);
  void show_joined(const std::vector<trial_id>* which);
  [[nodiscard]] expected<void> read_all(store_reader& from, trial_id first, sequence at);
  [[nodiscard]] expected<void> read_changed(store_reader& from, const head_facts& head,
                                            std::vector<trial_id> which);
  [[nodiscard]] expected<std::vector<trial_id>>
  read_results(store_reader& from, sequence after, sequence until,
               const std::function<void(const raw_result&)>& see);
  void see_result(store_reader& from, const raw_result& x);
};

} // namespace tune::cli
