// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_rules.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/tuner/rule_parts.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

error unreadable(const on::opened& head, const error& why) {
  return {ec::storage,
          "the configuration of head " + std::to_string(head.epoch) + ": " + to_text(why)};
}

bool same_stop(const spec& x, const spec& y) {
  auto of_x = stop_lines(x);
  auto of_y = stop_lines(y);
  return std::equal(
      of_x.begin(), of_x.end(), of_y.begin(), of_y.end(),
      [](const stop_line& a, const stop_line& b) { return a.key == b.key && a.text == b.text; });
}

} // namespace

head_rules::head_rules(std::string spec, experiment_settings settings, stopper_catalogue own)
    : spec_{std::move(spec)}, settings_{std::move(settings)}, own_{std::move(own)} {
  auto written = spec_from_json(spec_);
  counts_itself_ = written && settings_.sample_limit == 0 && settings_by(*written).sample_limit > 0;
}

expected<std::optional<rule_change>> head_rules::of(const on::opened& head) {
  if (head.spec == spec_)
    return std::optional<rule_change>{};
  auto now = spec_from_json(head.spec);
  if (!now)
    return unreadable(head, now.error());
  auto before = spec_from_json(spec_);
  if (!before)
    return unreadable(head, before.error());
  rule_change result{settings_by(*now), {}};
  // These follow from trainable and searcher, which stay.
  result.settings.saves = settings_.saves;
  result.settings.trainable = settings_.trainable;
  if (settings_.max_trials == 0)
    result.settings.max_trials = 0;
  if (counts_itself_)
    result.settings.sample_limit = result.settings.expected_samples = 0;
  if (!same_stop(*before, *now)) {
    auto stoppers = make_stoppers(stop_lines(*now), own_, stopper_context_of(*now));
    if (!stoppers)
      return unreadable(head, stoppers.error());
    result.stoppers = std::move(*stoppers);
  }
  spec_ = head.spec;
  return std::optional{std::move(result)};
}

} // namespace tune
