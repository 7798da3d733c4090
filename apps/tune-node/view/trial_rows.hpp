/// Trials and what belongs to them, in the JSON of the API.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/rows.hpp"
#include "view/filter.hpp"
#include "view/query.hpp"
#include "view/watched_experiment.hpp"

#include <map>
#include <string>
#include <vector>

namespace tune::cli {

/// The members of a trial that a request may name.
[[nodiscard]] const std::vector<std::string>& row_fields();

/// One trial. @param node Where it ran last. @param fields Only these; all if empty.
[[nodiscard]] object row_object(trial_row x, const std::string& node,
                                const std::vector<std::string>& fields = {});

[[nodiscard]] object attempt_object(const attempt_row& x);
/// When the events of decisions were, by their places in the log.
using decision_times = std::map<sequence, instant>;
/// @errors of the reader.
[[nodiscard]] expected<decision_times> times_of(store_reader& from,
                                                const std::vector<decision_row>& rows);
[[nodiscard]] object decision_object(const decision_row& x, const decision_times& times);
[[nodiscard]] object checkpoint_object(const checkpoint_row& x);
[[nodiscard]] object export_object(const export_row& x);

/// An order of trials.
struct trial_order {
  trial_key by;
  bool descending = false;
};

/// The places of the next trials in an order, among those that fit, and how many fit in all.
struct trial_page {
  std::vector<std::size_t> places;
  std::size_t total = 0;
  /// True if more follow.
  bool more = false;
};

/// Where a page begins: behind this trial, which had this value then.
struct page_start {
  trial_id trial;
  double number = 0;
  std::string text;
  bool is_text = false;
};

/// Chooses and sorts. What has no value for the key comes last in either direction; equal trials
/// stay in the order of their numbers.
/// @param texts By number of the trial, whether its texts fit; null: nothing is asked of them.
[[nodiscard]] trial_page page_of(const trial_table& trials, const trial_order& order,
                                 const std::vector<comparison>& filter,
                                 const std::vector<bool>* texts,
                                 const std::optional<page_start>& start, std::size_t limit);

/// The place of a trial in an order, for the next page.
[[nodiscard]] page_start start_behind(const trial_table& trials, const trial_order& order,
                                      std::size_t place);

/// `GET …/trials`.
[[nodiscard]] view_answer trial_list(watched_experiment& from, const view_request& what);

} // namespace tune::cli
