/// The record that a searcher that learns keeps of all trials so far.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/search/encoding/encoding.hpp"
#include "tune/core/search/fidelity/courses.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tune::learning {

/// Outcome of a trial that ended.
enum class ending : std::uint8_t {
  /// All its objectives are finite.
  finished,
  /// It failed, or an objective is missing or not a finite number.
  failed,
  /// The scheduler gave it up: its final value is unknown.
  stopped,
};

/// A trial that ended.
struct result {
  cube_point at;
  ending how = ending::finished;
  /// The first objective, to be minimised; NaN if there is none.
  double value = 0;
  /// The amount by which each constraint is missed, 0 if it is kept, infinite if unknown.
  std::vector<double> missed = {};
  /// The other objectives, to be minimised; empty if there are none.
  std::vector<double> others = {};
  trial_id trial = {};
  /// As in `observation`.
  std::optional<run_spread> spread = {};
};

/// Trials sorted by what is known of them. Derived from facts alone, so that a replay gives an
/// equal archive.
class archive {
public:
  static constexpr auto all_of_them = std::numeric_limits<std::size_t>::max();

  /// @param keeps_courses Whether it keeps the reports of trials that have not ended.
  explicit archive(std::shared_ptr<const encoding> space, bool keeps_courses = false)
      : space_{std::move(space)} {
    if (keeps_courses)
      courses_.emplace(space_);
  }

  void apply(const searcher_fact& what);

  [[nodiscard]] const encoding& space() const { return *space_; }
  /// Number of configurations that were suggested before that of a trial which has not ended; empty
  /// for other trials.
  [[nodiscard]] std::optional<std::uint64_t> number_of(trial_id id) const;
  /// Results in the order in which the trials ended.
  [[nodiscard]] const std::vector<result>& results() const { return results_; }
  /// The course of each trial; empty if courses are not kept.
  [[nodiscard]] const std::map<trial_id, fidelity::course>& courses() const;
  /// A hash over the first `count` results.
  [[nodiscard]] std::uint64_t digest(std::size_t count) const {
    return count == 0 ? 0 : digests_[count - 1];
  }
  /// The points of trials that have not ended, oldest first. @param but A trial that is left out.
  /// @param most The newest so many alone.
  [[nodiscard]] std::vector<cube_point> pending(std::optional<trial_id> but = {},
                                                std::size_t most = all_of_them) const;
  /// Those pending points that have no course yet.
  [[nodiscard]] std::vector<cube_point> unseen(std::optional<trial_id> but = {},
                                               std::size_t most = all_of_them) const;
  [[nodiscard]] bool has_pending() const { return !open_.empty(); }
  /// Whether the configuration was tried or is being tried. A lost one does not count.
  /// @param but A trial that has not ended and does not count.
  [[nodiscard]] bool is_taken(std::uint64_t key, std::optional<trial_id> but = {}) const;
  /// Number of configurations that were suggested.
  [[nodiscard]] std::uint64_t suggested() const { return suggested_; }

  void describe(fingerprint& into) const;

private:
  struct open_trial {
    config_ptr config;
    /// Null if the configuration is not in the space. Shared by copies of the archive.
    std::shared_ptr<const cube_point> at;
    /// Number of configurations suggested before it.
    std::uint64_t number = 0;
  };

  std::shared_ptr<const encoding> space_;
  std::vector<result> results_;
  std::vector<std::uint64_t> digests_;
  std::map<trial_id, open_trial> open_;
  /// Number of trials with each configuration, by its key.
  std::unordered_map<std::uint64_t, std::uint32_t> taken_;
  std::uint64_t suggested_ = 0;
  std::optional<fidelity::course_book> courses_;
  fingerprint heard_;

  /// @param only_unseen Whether trials that have a course are left out.
  [[nodiscard]] std::vector<cube_point> newest(std::optional<trial_id> but, std::size_t most,
                                               bool only_unseen) const;
  void open(trial_id id, const config_ptr& config);
  void take(const suggested_fact& what);
  void take(const observation& what);
  void release(const cube_point& at);
  void add(result what);
};

} // namespace tune::learning
