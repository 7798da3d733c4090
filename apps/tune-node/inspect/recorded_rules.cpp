// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/recorded_rules.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

#include <utility>

namespace tune::cli {

namespace {

constexpr std::size_t at_once = 4096;

} // namespace

expected<void> for_each_event(store_reader& from, sequence last,
                              const std::function<expected<bool>(const event&)>& hear) {
  for (sequence seq = 0; seq < last;) {
    auto some = from.events_after(seq, at_once);
    if (!some)
      return some.error();
    if (some->empty())
      return error{ec::storage, "events end with " + std::to_string(seq) + " where "
                                    + std::to_string(last) + " is the last"};
    for (const auto& x : *some) {
      if (x.seq > last)
        break;
      auto more = hear(x);
      if (!more)
        return more.error();
      if (!*more)
        return {};
    }
    seq = some->back().seq;
  }
  return {};
}

namespace {

/// Whether its trials ever saved, or failed to.
expected<bool> has_saves(store_reader& from, sequence last) {
  auto result = false;
  auto read = for_each_event(from, last, [&](const event& x) -> expected<bool> {
    result = result || std::holds_alternative<on::saved>(x.what)
             || std::holds_alternative<on::save_failed>(x.what);
    return !result;
  });
  if (!read)
    return read.error();
  return result;
}

} // namespace

expected<rule_parts> rules_of(store_reader& log, const experiment_row& row, const choices& all) {
  auto what = spec_from_json(row.spec);
  if (!what)
    return error{ec::storage, "the configuration in it: " + to_text(what.error())};
  auto space = search_space::parse(space_lines(*what));
  if (!space)
    return error{ec::storage, "the space in it: " + to_text(space.error())};
  loaded_spec from{std::move(*what), {}, std::make_shared<const search_space>(std::move(*space))};
  auto result = make_rule_parts(from, all);
  if (result) {
    for (std::uint32_t draws = 0; draws < on::present_draws; ++draws) {
      auto older = make_scheduler(from, all, draws);
      if (!older)
        return older.error();
      result->rules.older_judges.push_back(std::move(*older));
    }
  }
  // For functions and classes of another program only the record shows whether they can save.
  const auto& name = from.what.trainable.name;
  const auto is_known = all.trainables.find(name) != nullptr || !from.what.trainable.plugin.empty();
  if (!result || name.empty() || is_known)
    return result;
  auto saved = has_saves(log, row.last_seq);
  if (!saved)
    return saved.error();
  if (from.what.trainable.kind == trainable_kind::function)
    result->settings.saves = save_ability::with_reports;
  else
    result->settings.saves = *saved ? save_ability::on_request : save_ability::none;
  return result;
}

} // namespace tune::cli
