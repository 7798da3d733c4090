// SPDX-License-Identifier: BSD-3-Clause
#include "run/late_sinks.hpp"

#include "console/text.hpp"
#include "tune/actors/system.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/sinks/owed_sinks.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/running_sinks.hpp"

#include <algorithm>
#include <vector>

namespace tune::cli {

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string listed(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& x : names)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

expected<sequence> last_event_in(const std::filesystem::path& directory) {
  auto from = store_reader::open(directory);
  return from ? from->last_seq() : expected<sequence>{from.error()};
}

} // namespace

void bring_up_late_sinks(const std::filesystem::path& directory, const spec& what,
                         const sink_catalogue& all,
                         const std::function<void(const std::string&)>& tell) {
  const auto owed = owed_sinks(directory);
  auto which = chosen_sinks(what, all, directory);
  std::erase_if(which, [&](const chosen_sink& x) { return !has(owed, x.name); });
  if (which.empty())
    return;
  // Two at a time would tell them everything twice.
  auto lock = directory_lock::take(directory);
  auto last = lock ? last_event_in(directory) : expected<sequence>{lock.error()};
  if (!last)
    return tell("sinks that are behind stay behind: " + to_text(last.error()));
  std::vector<std::string> caught_up;
  for (const auto& x : which)
    caught_up.push_back(x.name);
  system_config config{1};
  caf::actor_system system{config};
  running_sinks sinks{system, directory, std::move(which), what.sinks.finish_timeout, tell};
  const auto still_owed = sinks.settle(*last);
  sinks.dismiss();
  std::erase_if(caught_up, [&](const std::string& x) { return has(still_owed, x); });
  if (!caught_up.empty())
    tell("sinks that were behind have everything now: " + listed(caught_up));
}

std::string late_sinks_text(const std::filesystem::path& directory) {
  const auto owed = owed_sinks(directory);
  if (owed.empty())
    return {};
  return (owed.size() == 1 ? "the sink " : "the sinks ") + printable(listed(owed))
         + (owed.size() == 1 ? " has" : " have") + " not got everything"
         + (words_to_head().empty()
                ? ": " + program_call("resume " + shell_word(directory.string()))
                      + " tells the rest"
                : std::string{});
}

} // namespace tune::cli
