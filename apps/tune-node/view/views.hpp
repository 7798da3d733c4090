/// The read model: what a storage with its experiments says, as the JSON of every GET of the HTTP
/// API.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/query.hpp"
#include "view/watched_experiment.hpp"

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace tune::cli {

/// What has happened in an experiment, and how far its log was then.
struct seen_change {
  std::int64_t record = 0;
  sequence last = 0;
  /// `last_seq`, `created_ms` (which tells a record from another that took its place), `counts`,
  /// `best`, `changed` (numbers of at most 200 trials), `more_changed`, `kinds`, `live`, `status`,
  /// `at_ms` (Unix time of the answer).
  value what;
};

/// Reads only. May be used by several threads at once; all calls may block on the disk.
class views {
public:
  /// @param place A storage, or one experiment's directory.
  explicit views(std::filesystem::path place) : place_{std::move(place)} {}

  /// The answer to a GET, by the parts of its path: `experiments`, `experiments/{e}`,
  /// `experiments/{e}/trials`, … Logs and files are not among them.
  [[nodiscard]] view_answer answer(const view_request& what);

  /// What has happened after event `seq`; nothing if nothing has.
  /// @param record Of which `seq` is a place, by the time at which it was made (Unix time, ms). If
  ///               another has taken its place, or has not come to `seq`, everything has happened.
  ///               0: whichever is there.
  [[nodiscard]] std::variant<std::optional<seen_change>, view_fault>
  change_since(const std::string& experiment, std::int64_t record, sequence seq);

  /// Whether what is shown can be read: the record of the one experiment, or the storage's list.
  [[nodiscard]] bool is_readable();

  /// The directory of an experiment, checked to lie in the place with its database.
  [[nodiscard]] std::variant<std::filesystem::path, view_fault>
  directory_of(const std::string& experiment) const;

  using watched_ptr = std::shared_ptr<watched_experiment>;

  /// The experiment of that name, whose summary all answers share.
  [[nodiscard]] std::variant<watched_ptr, view_fault> watch(const std::string& name);

  /// The names of all experiments.
  [[nodiscard]] std::vector<std::string> names() const { return place_.names(); }

private:
  /// Summaries are dropped, the least used first, when more trials than this are kept.
  static constexpr std::size_t most_trials = 2'000'000;
  static constexpr std::size_t most_experiments = 200;

  shown_place place_;
  std::mutex guard_;
  /// The last used one comes first.
  std::list<std::pair<std::string, watched_ptr>> watched_;

  [[nodiscard]] view_answer experiments(const view_request& what);
  [[nodiscard]] view_answer part_of(watched_experiment& from, const view_request& what);
};

} // namespace tune::cli
