// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/scaling/scaling_command.hpp"

#include "tune/core/printable.hpp"
#include "tune/core/resource/told_demands.hpp"
#include "tune/io/field_reader.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/piped_program.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds scaling_look{100};
/// Lines of a call that people see, and most of each. [bytes]
constexpr std::size_t most_shown_lines = 20;
constexpr std::size_t longest_shown_line = 300;
/// Output that is looked at. [bytes]
constexpr std::size_t most_scaling_output = 256 * 1024;
/// Most shapes of bundles that are listed: the kernel's pipe holds what is written at once.
constexpr std::size_t most_shapes = 100;

value whole_count(std::uint64_t x) {
  return value{static_cast<std::int64_t>(x)};
}

value plain_amount(amount x) {
  return x.units % amount::scale == 0 ? value{x.units / amount::scale} : value{x.number()};
}

void set_demands(object& to, const node_labels& demands) {
  const auto told = told_of(demands);
  if (!told.require.empty())
    to.set("require", told.require);
  value::list taints;
  for (const auto& x : told.tolerate)
    taints.emplace_back(x);
  if (!taints.empty())
    to.set("tolerate", std::move(taints));
}

value kind_value(const scaling_call::kind& x) {
  object result{{"more", whole_count(x.more)}, {"asked", whole_count(x.asked)}};
  set_demands(result, x.demands);
  return value{std::move(result)};
}

/// A line for a shell: the number to get, that of earlier calls, and what such workers have to
/// meet.
std::string kind_line(const scaling_call::kind& x) {
  const auto told = told_of(x.demands);
  std::string taints;
  for (const auto& taint : told.tolerate)
    taints += (taints.empty() ? "" : ",") + taint;
  return std::to_string(x.more) + "|" + std::to_string(x.asked) + "|" + taints + "|" + told.require;
}

value bundle_value(const pending_bundle& x) {
  object result{{"cpu", plain_amount(x.what.cpu)},
                {"gpu", plain_amount(x.what.gpu)},
                {"memory", whole_count(x.what.memory)},
                {"count", whole_count(x.count)}};
  object custom;
  for (const auto& [name, much] : x.what.custom)
    custom.set(name, plain_amount(much));
  if (!custom.empty())
    result.set("custom", std::move(custom));
  set_demands(result, x.demands);
  return value{std::move(result)};
}

std::vector<std::string> output_lines(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!line.empty())
      result.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string shown_line(const std::string& line) {
  return printable(line.substr(0, longest_shown_line))
         + (line.size() > longest_shown_line ? "..." : "");
}

std::string whole_seconds(milliseconds x) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(x).count()) + " s";
}

/// What a shell's exit codes mean, where it has meanings.
std::string meaning_of_status(int status) {
  constexpr int signals = 128;
  if (status > signals)
    return "it was ended by signal " + std::to_string(status - signals);
  return "it exited with " + std::to_string(status);
}

expected<piped_program> start_scaling(const scaling_command& how, const scaling_call& what) {
  auto environment = environment_of(what);
  environment.insert(environment.end(), how.environment.begin(), how.environment.end());
  return piped_program::start(
      "/usr/bin/env", {"env", "--chdir=" + how.directory.string(), "/bin/sh", "-c", how.text},
      environment, {{}, true});
}

/// What a program scaling_output until it ended.
struct scaling_output {
  std::string out;
  std::string err;
  /// Nothing: it was killed.
  std::optional<int> status;
};

scaling_output follow_scaling(piped_program& program, milliseconds timeout,
                              const std::atomic<bool>& stop) {
  scaling_output result;
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (!stop && std::chrono::steady_clock::now() < until) {
    auto piece = program.read(most_scaling_output, scaling_look);
    // The last lines count, the answer and the reason among them.
    for (auto [to, from] : {std::pair{&result.out, &piece.out}, {&result.err, &piece.err}}) {
      to->append(*from);
      if (to->size() > most_scaling_output)
        to->erase(0, to->size() - most_scaling_output);
    }
    result.status = piece.status;
    if (result.status)
      break;
  }
  return result;
}

expected<std::optional<std::uint64_t>> verdict_on(const scaling_output& x,
                                                  const std::string& answer,
                                                  const scaling_command& how, bool is_stopped) {
  if (!x.status && is_stopped)
    return error{ec::timeout, "it was killed, since the head ends"};
  if (!x.status)
    return error{ec::timeout, "it did not end within " + whole_seconds(how.timeout)
                                  + " (something that it started may hold its output open), and"
                                    " was killed"};
  if (*x.status != 0) {
    const auto said = output_lines(x.err);
    return error{ec::process, meaning_of_status(*x.status)
                                  + (said.empty() ? "" : ": " + shown_line(said.back()))};
  }
  return answer.empty() ? std::optional<std::uint64_t>{} : scaling_answer_from(answer);
}

} // namespace

std::string to_json(const scaling_call& x) {
  object result{{"wanted", whole_count(x.wanted)},
                {"now", whole_count(x.now)},
                {"asked", whole_count(x.asked)},
                {"more", whole_count(x.more)}};
  value::list idle;
  for (const auto& name : x.idle)
    idle.emplace_back(name);
  result.set("idle", std::move(idle));
  value::list pending;
  for (std::size_t i = 0; i < std::min(x.pending.size(), most_shapes); ++i)
    pending.push_back(bundle_value(x.pending[i]));
  result.set("pending", std::move(pending));
  value::list kinds;
  for (std::size_t i = 0; i < std::min(x.kinds.size(), most_shapes); ++i)
    kinds.push_back(kind_value(x.kinds[i]));
  result.set("kinds", std::move(kinds));
  result.set("bounds", value::list{whole_count(x.least), whole_count(x.most)});
  return to_json(result);
}

std::vector<std::string> environment_of(const scaling_call& x) {
  std::string idle;
  for (const auto& name : x.idle)
    idle += (idle.empty() ? "" : " ") + name;
  std::string kinds;
  for (std::size_t i = 0; i < std::min(x.kinds.size(), most_shapes); ++i)
    kinds += (kinds.empty() ? "" : "\n") + kind_line(x.kinds[i]);
  auto line = [](const char* name, std::uint64_t count) {
    return std::string{name} + "=" + std::to_string(count);
  };
  return {line("TUNE_WANTED_WORKERS", x.wanted),
          line("TUNE_NOW_WORKERS", x.now),
          line("TUNE_ASKED_WORKERS", x.asked),
          line("TUNE_MORE_WORKERS", x.more),
          line("TUNE_MIN_WORKERS", x.least),
          line("TUNE_MAX_WORKERS", x.most),
          "TUNE_MORE_KINDS=" + kinds,
          "TUNE_IDLE_WORKERS=" + idle};
}

expected<std::optional<std::uint64_t>> scaling_answer_from(std::string_view line) {
  auto all = object_from_json(line);
  if (!all)
    return error{ec::bad_syntax, "its answer is no JSON object: " + all.error().detail};
  field_reader from{*all, "in its answer"};
  std::optional<std::uint64_t> result;
  if (all->contains("asked"))
    result = from.get_count("asked");
  if (from.fault())
    return *from.fault();
  return result;
}

scaling_result run_scaling_command(const scaling_command& how, const scaling_call& what,
                                   const std::atomic<bool>& stop) {
  scaling_result result;
  auto program = start_scaling(how, what);
  if (!program) {
    result.how = program.error();
    return result;
  }
  // A command that needs none of it may have ended already.
  static_cast<void>(program->write(to_json(what) + "\n"));
  program->close_input();
  const auto x = follow_scaling(*program, how.timeout, stop);
  auto out = output_lines(x.out);
  std::string answer;
  if (!out.empty() && out.back().starts_with('{')) {
    answer = out.back();
    out.pop_back();
  }
  for (auto& line : output_lines(x.err))
    out.push_back(std::move(line));
  for (std::size_t i = 0; i < std::min(out.size(), most_shown_lines); ++i)
    result.lines.push_back(shown_line(out[i]));
  result.how = verdict_on(x, answer, how, stop);
  return result;
}

} // namespace tune
