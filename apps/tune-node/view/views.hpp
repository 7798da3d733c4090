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

/// Reads only. May be used by several threads at once; all calls may block on the disk.
class views {
public:
  /// @param place A storage, or one experiment's directory.
  explicit views(std::filesystem::path place) : place_{std::move(place)} {}

  /// The answer to a GET, by the parts of its path: `experiments`, `experiments/{e}`,
  /// `experiments/{e}/trials`, … Logs and files are not among them.
  [[nodiscard]] view_answer answer(const view_request& what);

  /// What has happened after event `seq`: `last_seq`, `counts`, `best`, `changed` (numbers of at
  /// most 200 trials), `more_changed`, `kinds`, `live`, `status`, `at_ms` (Unix time of the
  /// answer). Nothing if nothing has.
  [[nodiscard]] std::variant<std::optional<value>, view_fault>
  change_since(const std::string& experiment, sequence seq);

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
