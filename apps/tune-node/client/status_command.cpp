// SPDX-License-Identifier: BSD-3-Clause
#include "client/status_command.hpp"

#include "console/human.hpp"
#include "console/one_line.hpp"
#include "console/summary.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/failures.hpp"
#include "inspect/trials.hpp"
#include "output/write_trials.hpp"
#include "run/ending.hpp"
#include "run/snapshot.hpp"
#include "run/way_on.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/control/control_client.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/json.hpp"
#include "tune/io/resources_json.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/store/store_reader.hpp"
#include "view/overview.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// A head that is busy leaves the rest to the database.
constexpr std::chrono::seconds status_patience{10};

/// Columns; the reason may quote a program.
constexpr std::size_t longest_reason = 100;

std::string word_of(trial_status x) {
  std::string result{to_text(x)};
  for (auto& c : result)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

expected<std::vector<listed_trial>> running_trials(store_reader& from,
                                                   const std::vector<objective>& objectives) {
  trial_query which;
  which.status = trial_status::running;
  which.limit = most_running_shown;
  auto found = from.trials(which);
  if (!found)
    return found.error();
  std::vector<listed_trial> result;
  for (const auto& x : *found)
    result.push_back(listed(x, objectives, {}));
  return result;
}

/// Those that began. @param withdrawn Number of terminated trials that did not.
expected<std::vector<listed_trial>> some_trials(store_reader& from, trial_query which,
                                                std::uint64_t withdrawn,
                                                const std::vector<objective>& objectives) {
  std::vector<listed_trial> result;
  if (which.limit == 0)
    return result;
  const auto most = which.limit;
  which.limit += which.status == trial_status::terminated ? withdrawn : 0;
  auto found = from.trials(which);
  if (!found)
    return found.error();
  for (const auto& x : *found) {
    if (result.size() < most && !x.reason.starts_with(withdrawn_reason))
      result.push_back(listed(x, objectives, {}));
  }
  return result;
}

/// @param withdrawn Number of terminated trials that never began: they are counted apart.
expected<std::vector<trial_share>> shares_of(store_reader& from, status_counts counts,
                                             std::uint64_t withdrawn,
                                             const std::vector<objective>& objectives) {
  counts[static_cast<std::size_t>(trial_status::terminated)] -= withdrawn;
  using enum trial_status;
  auto rows = deal_rows(counts, most_shown);
  std::vector<trial_share> result;
  for (auto status : {running, paused, pending, errored, terminated}) {
    auto count = counts[static_cast<std::size_t>(status)];
    auto shown = rows[static_cast<std::size_t>(status)];
    if (count == 0)
      continue;
    trial_query which;
    which.status = status;
    which.limit = static_cast<std::size_t>(shown == count ? shown : (shown + 1) / 2);
    auto first = some_trials(from, which, withdrawn, objectives);
    if (!first)
      return first.error();
    which.limit = static_cast<std::size_t>(shown) - which.limit;
    which.descending = true;
    auto last = some_trials(from, which, withdrawn, objectives);
    if (!last)
      return last.error();
    std::reverse(last->begin(), last->end());
    result.push_back({status, count, std::move(*first), std::move(*last)});
  }
  return result;
}

expected<known_state> read_state(const fs::path& directory) {
  auto opened = open_experiment(directory, seen_at::one_moment);
  if (!opened)
    return opened.error();
  auto& [reader, recorded] = *opened;
  auto& [row, what] = recorded;
  auto fixed = frame_of(what, fs::absolute(directory).lexically_normal());
  auto seen = recorded_snapshot(reader, row, fixed);
  if (!seen)
    return reading_failed(seen.error());
  auto running = running_trials(reader, fixed.objectives);
  if (!running)
    return reading_failed(running.error());
  seen->trials = std::move(*running);
  auto shares = shares_of(reader, row.counts, row.withdrawn, fixed.objectives);
  if (!shares)
    return reading_failed(shares.error());
  auto nodes = reader.nodes();
  if (!nodes)
    return reading_failed(nodes.error());
  known_state result;
  result.nodes = std::move(*nodes);
  result.shares = std::move(*shares);
  result.seen = std::move(*seen);
  result.is_asked = is_asked(what);
  result.row = std::move(row);
  return result;
}

void ask_head(known_state& x, const fs::path& directory) {
  auto answer = ask_control(directory, {}, status_patience);
  x.led = answer.has_value() || is_led(directory);
  if (!answer || !answer->status)
    return;
  x.head = answer->status;
  x.seen.elapsed = x.head->elapsed;
  x.seen.used = x.head->used;
  x.seen.total = x.head->total;
  x.seen.planned = x.head->planned;
  x.seen.nodes = static_cast<std::uint32_t>(x.head->nodes);
  x.seen.leaving = static_cast<std::uint32_t>(x.head->leaving.size());
}

std::string headline(const known_state& x) {
  auto state = state_of(x);
  auto text = printable(x.seen.experiment) + ": ";
  if (state == "at_rest")
    return text + "at rest after " + duration_text(x.seen.elapsed)
           + ": no executor asks for its trials now; " + printable(executor_line(x.seen.directory))
           + " goes on";
  if (state == "lost")
    return text + "nobody runs it: its head is gone after " + duration_text(x.seen.elapsed);
  if (state == "paused")
    return text + "paused: no further trial is started";
  if (state == "running")
    return text + "running for " + duration_text(x.seen.elapsed);
  return text + state + " after " + duration_text(x.seen.elapsed);
}

std::string scaling_line(const object& x) {
  auto count = [&x](std::string_view name) {
    const auto* found = x.find(name);
    const auto* number = found == nullptr ? nullptr : found->as_int();
    return static_cast<std::uint64_t>(number == nullptr ? 0 : *number);
  };
  auto text = [&x](std::string_view name) {
    const auto* found = x.find(name);
    const auto* given = found == nullptr ? nullptr : found->as_string();
    return given == nullptr ? std::string{} : printable(*given);
  };
  auto result = "\n  workers: " + std::to_string(count("wanted")) + " wanted, "
                + std::to_string(count("now")) + " there, " + std::to_string(count("asked"))
                + " asked for";
  if (count("given_back") > 0)
    result += ", " + std::to_string(count("given_back")) + " free to go";
  if (const auto* since = x.find("since_call"); since != nullptr && !since->is_null())
    result += "; scale_command was called " + std::to_string(count("since_call")) + " s ago";
  if (count("failures") > 0)
    result += ", and failed: " + text("last_failure");
  if (!text("too_large").empty())
    result += "\n  too large for the workers that come: " + text("too_large");
  return result;
}

/// "8 of 32 CPU, 1 of 20 trials".
std::string quota_text(const object& x) {
  const std::pair<const char*, const char*> kinds[]
      = {{"cpu", "CPU"}, {"gpu", "GPU"}, {"memory", "memory"}, {"trials", "trials"}};
  std::string result;
  for (const auto& [name, shown] : kinds) {
    const auto* found = x.find(name);
    const auto* of = found == nullptr ? nullptr : found->as_object();
    if (of == nullptr)
      continue;
    auto part = [&](const char* which) {
      const auto* given = of->find(which);
      const auto* bytes = given == nullptr ? nullptr : given->as_int();
      if (name == std::string_view{"memory"} && bytes != nullptr)
        return bytes_text(static_cast<std::uint64_t>(*bytes));
      return given == nullptr ? std::string{"?"} : printable(to_text(*given));
    };
    result += (result.empty() ? "" : ", ") + part("used") + " of " + part("total") + " " + shown;
  }
  return result;
}

std::string standing_line(const object& x) {
  auto text = [&x](std::string_view name) {
    const auto* found = x.find(name);
    return found == nullptr ? std::string{"?"} : printable(to_text(*found));
  };
  auto result = "\n  standing: priority " + text("priority") + ", share " + text("share") + " of "
                + (text("user").empty() ? "somebody" : text("user")) + "; " + text("running")
                + (text("running") == "1" ? " trial holds " : " trials hold ") + text("cpu")
                + " CPU, " + text("gpu") + " GPU; " + text("waiting") + " wait";
  if (text("place") != "0")
    result += "; place " + text("place") + " in the queue";
  if (text("stands_aside") == "true")
    result += "; it takes no place in the queue";
  if (text("made_room") != "0")
    result += "; " + text("made_room") + " made room for a higher priority so far, the last for "
              + text("made_room_for");
  if (const auto* found = x.find("quota"); found != nullptr && found->as_object() != nullptr)
    result += "\n  quota of " + text("user") + ": " + quota_text(*found->as_object());
  return result;
}

/// "gpu_model=A100, disk_gb=500; taint spot".
std::string marks_text(const node_row& x) {
  std::string result;
  for (const auto& label : x.labels)
    result += (result.empty() ? "" : ", ") + printable(label);
  for (const auto& taint : x.taints)
    result += (&taint != x.taints.data() ? ", "
               : result.empty()          ? "taint "
                                         : "; taint ")
              + printable(taint);
  return result;
}

/// The nodes that are there and have labels or taints, or are leaving, one a line.
/// @param leaving See `control_status::leaving`.
std::string node_lines(const std::vector<node_row>& all, const std::vector<std::string>& leaving) {
  std::string result;
  std::size_t shown = 0;
  for (const auto& x : all) {
    auto text = marks_text(x);
    if (state_of_node(x, leaving) == "leaving")
      text = text.empty() ? "leaving" : "leaving; " + text;
    if (!x.up || text.empty())
      continue;
    if (shown++ < most_nodes_shown)
      result += "  node " + printable(x.node) + ": " + text + "\n";
  }
  if (shown > most_nodes_shown)
    result += "  ... " + counted(shown - most_nodes_shown, "node")
              + " with labels or taints, or leaving, not shown\n";
  return result;
}

std::string head_line(const known_state& x) {
  if (!x.head)
    return !x.led       ? ""
           : x.is_asked ? "  head: an executor's conversation (ask-tell)\n"
                        : "  head: it does not answer here\n";
  auto result = "  head: pid " + std::to_string(x.head->pid);
  for (const auto& part : resource_texts(x.seen))
    result += ", " + part;
  if (x.head->held > 0)
    result += ", " + counted(x.head->held, "trial") + " paused by clients";
  if (!x.head->waits_for.empty())
    result += "\n  " + printable(x.head->waits_for);
  if (!x.head->allocation.empty())
    result += standing_line(x.head->allocation);
  if (!x.head->scheduler.empty())
    result += "\n  scheduler: " + printable(x.head->scheduler);
  if (!x.head->scaling.empty())
    result += scaling_line(x.head->scaling);
  return result + "\n";
}

std::string trial_line(const listed_trial& row, const std::vector<objective>& objectives) {
  auto result = "    trial " + to_text(row.trial) + ": iteration " + std::to_string(row.iterations);
  for (std::size_t i = 0; i < row.objectives.size(); ++i)
    result += ", " + printable(objectives[i].metric) + " = "
              + (row.objectives[i].is_null() ? "-" : printable(to_text(row.objectives[i])));
  if (!row.reason.empty())
    result += "; " + cut(in_one_line(row.reason), longest_reason);
  return result + "\n";
}

std::string share_text(const trial_share& x, const std::vector<objective>& objectives) {
  auto result = "  " + std::to_string(x.count) + " " + word_of(x.status) + ":\n";
  for (const auto& row : x.first)
    result += trial_line(row, objectives);
  auto shown = x.first.size() + x.last.size();
  if (x.count > shown)
    result += "    ... " + std::to_string(x.count - shown) + " not shown\n";
  for (const auto& row : x.last)
    result += trial_line(row, objectives);
  return result;
}

} // namespace

status_counts deal_rows(const status_counts& counts, std::uint64_t rows) {
  status_counts result{};
  for (auto more = true; more && rows > 0;) {
    more = false;
    for (std::size_t i = 0; i < counts.size() && rows > 0; ++i) {
      if (result[i] == counts[i])
        continue;
      ++result[i];
      --rows;
      more = true;
    }
  }
  return result;
}

std::string state_of(const known_state& x) {
  if (x.row.status != "running")
    return x.row.status;
  if (!x.led)
    return unled_state(x.is_asked);
  return x.head && x.head->suspended ? "paused" : "running";
}

std::string status_text(const known_state& x, const style& look) {
  auto result = headline(x) + "\n";
  if (!x.row.why.empty() && x.row.why != x.row.status)
    result += "  " + cause_text(x.row.why) + "\n";
  result += progress_text(x.seen, look) + head_line(x);
  if (x.head)
    result += node_lines(x.nodes, x.head->leaving);
  for (const auto& share : x.shares)
    result += share_text(share, x.seen.objectives);
  result += "  directory: " + printable(x.seen.directory) + "\n";
  return result;
}

std::string status_json(const known_state& x) {
  auto result = summary_object(x.seen, state_of(x));
  result.set("why", x.row.why);
  result.set("led", x.led);
  object head;
  if (x.head) {
    head.set("pid", x.head->pid);
    head.set("paused", x.head->suspended);
    head.set("held", static_cast<std::int64_t>(x.head->held));
    head.set("waits_for", x.head->waits_for.empty() ? value{} : value{x.head->waits_for});
    head.set("nodes", static_cast<std::int64_t>(x.head->nodes));
    head.set("leaving", value::list{x.head->leaving.begin(), x.head->leaving.end()});
    head.set("scheduler", x.head->scheduler);
    head.set("scaling", x.head->scaling.empty() ? value{} : value{x.head->scaling});
    head.set("allocation", x.head->allocation.empty() ? value{} : value{x.head->allocation});
    head.set("cpu",
             object{{"used", x.head->used.cpu.number()}, {"total", x.head->total.cpu.number()}});
    head.set("gpu",
             object{{"used", x.head->used.gpu.number()}, {"total", x.head->total.gpu.number()}});
  }
  result.set("head", x.head ? value{std::move(head)} : value{});
  value::list running;
  for (const auto& row : x.seen.trials)
    running.emplace_back(to_object(row, x.seen.objectives));
  result.set("running", std::move(running));
  value::list nodes;
  for (const auto& node : x.nodes)
    nodes.emplace_back(node_object(node, x.head ? x.head->leaving : std::vector<std::string>{}));
  result.set("nodes", std::move(nodes));
  return to_json(result) + "\n";
}

exit_code show_status(const command_line& line, const status_request& what,
                      const table_look& look) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return complain(directory.error());
  auto state = read_state(*directory);
  if (!state)
    return complain(state.error());
  ask_head(*state, *directory);
  switch (line.output.value_or(output_format::table)) {
    case output_format::table:
      std::cout << status_text(*state, look.colors);
      break;
    case output_format::json:
    case output_format::jsonl:
      std::cout << status_json(*state);
      break;
    case output_format::csv:
      std::cout << csv_line({"status", "trials"});
      for (std::size_t i = 0; i < state->seen.counts.size(); ++i)
        std::cout << csv_line({std::string{to_text(static_cast<trial_status>(i))},
                               std::to_string(state->seen.counts[i])});
      if (state->seen.withdrawn > 0)
        std::cout << csv_line({"WITHDRAWN", std::to_string(state->seen.withdrawn)});
      break;
  }
  return exit_code::done;
}

} // namespace tune::cli
