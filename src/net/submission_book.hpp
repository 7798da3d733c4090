/// The experiments at a standing head, and who follows them. Private to the submission server.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "submitted_job.hpp"

#include "tune/core/error.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Which experiment may begin, and who may follow it, until it is over and nobody does any more.
class submission_book {
public:
  using key = std::uint64_t;

  /// @param by Whoever submitted it; nobody for one that the head before this one left.
  key add(submission_message words, std::string identity, std::vector<listener> by = {}) {
    all_[++last_] = {std::move(words), std::move(identity), std::move(by), {}};
    return last_;
  }

  /// Null if there is none.
  [[nodiscard]] submitted_job* find(key which) {
    auto known = all_.find(which);
    return known == all_.end() ? nullptr : &known->second;
  }
  [[nodiscard]] submitted_job& at(key which) { return all_.at(which); }
  [[nodiscard]] const std::map<key, submitted_job>& all() const { return all_; }
  [[nodiscard]] submitted_job take(key which) { return std::move(all_.extract(which).mapped()); }
  /// Whether no experiment is under way.
  [[nodiscard]] bool all_over() const;

  /// @errors `ec::refused` if one of this name is under way.
  [[nodiscard]] expected<void> may_begin(const submission_message& words) const;

  /// The experiment of this name, for a client that comes back.
  /// @errors `ec::unknown_name` if none is under way; `ec::refused` if it was submitted with
  /// another
  ///         certificate.
  [[nodiscard]] expected<submitted_job*> to_follow(const std::string& name,
                                                   const std::string& identity);
  /// Who submitted the experiment of this name, with the certificate's name; empty: none is under
  /// way.
  [[nodiscard]] std::string owner_of(const std::string& name) const;

  /// The experiment that a client asks about; null if there is none that it follows. Keys are no
  /// secrets: another's could be guessed.
  [[nodiscard]] submitted_job* asked_by(key which, const follower_actor& who);

  // -- The end. Each returns experiments that are over and that nobody follows any more, which are
  // -- no longer here.

  struct ending {
    /// Whoever is to be told, and whether it may ask for rows.
    std::vector<listener> told;
    std::optional<submitted_job> done;
  };
  /// The experiment is over. Those who want no rows follow it no longer. Requires that it is known.
  [[nodiscard]] ending end(key which, bool has_rows);
  /// A client has all rows of an experiment that is over.
  [[nodiscard]] std::optional<submitted_job> has_rows(key which, const follower_actor& who);
  /// A client is gone.
  [[nodiscard]] std::vector<submitted_job> forget(const follower_actor& who);

private:
  std::map<key, submitted_job> all_;
  key last_ = 0;

  [[nodiscard]] std::optional<key> under_way(const std::string& name) const;
  std::optional<submitted_job> take_if_done(key which);
};

} // namespace tune
