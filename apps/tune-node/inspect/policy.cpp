// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/policy.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/store_reader.hpp"

#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace tune::cli {

namespace {

/// The trial's newest exploit before an event that was not undone; nothing if there is none.
expected<std::optional<decision_row>> newest_exploit(store_reader& from, trial_id of,
                                                     sequence before) {
  auto all = from.decisions(of);
  if (!all)
    return all.error();
  std::vector<decision_row> exploits;
  for (auto& x : *all) {
    if (x.seq >= before)
      break;
    if (x.action == "exploit")
      exploits.push_back(std::move(x));
    else if (x.action == "exploit_undone" && !exploits.empty())
      exploits.pop_back();
  }
  return exploits.empty() ? std::nullopt : std::optional{std::move(exploits.back())};
}

/// The donor of an exploit; nothing if the reason does not name one.
std::optional<trial_id> donor_of(const decision_row& x) {
  const auto* text = x.reason.find("donor");
  auto known = text != nullptr && text->as_string() != nullptr && x.reason.contains("config")
               && x.reason.contains("donor_config") && x.reason.contains("donor_iteration");
  auto number = parse_integer(known ? *text->as_string() : "");
  if (!number || *number < 0)
    return std::nullopt;
  return trial_id{static_cast<std::uint64_t>(*number)};
}

std::string line_of(trial_id target, const decision_row& x) {
  auto said = [&](const char* name) { return *x.reason.find(name); };
  return to_json(
      value{value::list{to_text(target), said("donor"), static_cast<std::int64_t>(x.iteration),
                        said("donor_iteration"), said("donor_config"), said("config")}});
}

} // namespace

expected<void> write_policy(store_reader& from, trial_id of, std::ostream& out) {
  std::vector<std::string> lines;
  auto before = std::numeric_limits<sequence>::max();
  for (auto trial = of;;) {
    auto found = newest_exploit(from, trial, before);
    if (!found)
      return found.error();
    auto donor = *found ? donor_of(**found) : std::nullopt;
    if (!donor)
      break;
    lines.push_back(line_of(trial, **found));
    before = (*found)->seq;
    trial = *donor;
  }
  if (lines.empty())
    return error{ec::unknown_name,
                 "trial " + to_text(of)
                     + " never took over another trial's state: it has one configuration, and "
                       "there is no schedule to print"};
  for (auto i = lines.rbegin(); i != lines.rend(); ++i)
    out << *i << "\n";
  return {};
}

} // namespace tune::cli
