// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/exit_judgement.hpp"

#include "tune/core/trial/costs.hpp"
#include "tune/core/trial/error_line.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

namespace tune {

namespace {

std::string signal_name(int number) {
  const auto* name = ::sigabbrev_np(number);
  return name != nullptr ? std::string{"SIG"} + name : "signal " + std::to_string(number);
}

std::string indented(const std::vector<std::string>& lines) {
  std::string result;
  for (const auto& line : lines)
    result += "\n  " + line;
  return result;
}

constexpr auto late_export_text
    = "was still exporting when export_timeout was over; ended by tune-node";

/// Explains an exit status by which a shell reports that a program it ran was killed.
std::string shell_text(const exit_info& how) {
  constexpr auto killed = 128 + SIGKILL;
  if (how.code != killed)
    return {};
  return std::string{", as a shell does whose program was ended by SIGKILL"}
         + (how.memory_unwatched ? "; whether for want of memory cannot be told, since no control "
                                   "group could be made for it"
                                 : "");
}

/// The failure that the program reported, else a text about its signal or status; empty for a good
/// end.
std::string exit_text(const exit_info& how, const exit_facts& known) {
  if (known.failure)
    return known.failure->text;
  if (how.signal)
    return "ended by " + signal_name(*how.signal) + indented(how.stderr_lines);
  if (how.code && *how.code != 0)
    return "exited with status " + std::to_string(*how.code) + shell_text(how)
           + indented(how.stderr_lines);
  return {};
}

/// Judges an end by lack of memory, in the process itself or in one that it had started.
exit_judgement judge_want_of_memory(const exit_info& how, const exit_facts& known) {
  std::string text = "out of memory";
  if (how.code)
    text += ": a process that it had started was killed for want of it; it exited with status "
            + std::to_string(*how.code);
  text += known.failure ? "\n" + known.failure->text : indented(how.stderr_lines);
  return {end_class::out_of_memory, std::move(text), {}};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t end = 0; end != text.npos;
       text.remove_prefix(std::min(end, text.size() - 1) + 1)) {
    end = text.find('\n');
    result.push_back(text.substr(0, end));
  }
  return result;
}

/// Whether the program's last words are that it had too little memory.
bool says_want_of_memory(const exit_info& how, const exit_facts& known) {
  constexpr std::ptrdiff_t last = 5;
  if (known.failure)
    return names_want_of_memory(lines_of(known.failure->text));
  const auto& all = how.stderr_lines;
  const auto size = static_cast<std::ptrdiff_t>(all.size());
  return names_want_of_memory(
      std::vector<std::string_view>{all.end() - std::min(last, size), all.end()});
}

/// The program's last lines. Those of the stream that its metrics are read from come last, as the
/// ones that matter most.
std::string last_words(const exit_info& how, bool reads_stderr) {
  const auto& read = reads_stderr ? how.stderr_lines : how.stdout_lines;
  const auto& other = reads_stderr ? how.stdout_lines : how.stderr_lines;
  if (read.empty() || other.empty())
    return indented(read.empty() ? other : read);
  return (reads_stderr ? "\nstdout:" : "\nstderr:") + indented(other)
         + (reads_stderr ? "\nstderr:" : "\nstdout:") + indented(read);
}

exit_judgement judge_without_objective(const exit_info& how, const exit_facts& known) {
  auto text = "exited 0 but metric '" + known.objective + "' never appeared";
  if (known.reported && !known.failure)
    text += " in its reports";
  if (!known.why_missing.empty())
    text += ": " + known.why_missing;
  if (known.failure)
    return {end_class::user_error, known.failure->text + "\n" + text, {}};
  if (known.reported) {
    const auto* hint = is_cost(known.objective) ? ": this node could not measure it" : "";
    return {end_class::user_error, text + hint, {}};
  }
  return {end_class::user_error, text + last_words(how, known.reads_stderr), {}};
}

/// The program had finished its training by itself.
exit_judgement judge_late_export(const exit_info& how, const exit_facts& known) {
  if (!known.saw_objective && !known.is_host)
    return judge_without_objective(how, known);
  return {end_class::finished, late_export_text, {}};
}

/// Judges an end that was the program's own, with no request from the node.
exit_judgement judge_own_end(const exit_info& how, const exit_facts& known) {
  if (known.failure && known.failure->restore)
    return {end_class::bad_checkpoint, known.failure->text, {}};
  const auto is_good = how.code == 0 && (known.saw_objective || known.is_host);
  if (how.out_of_memory && !is_good)
    return judge_want_of_memory(how, known);
  if (how.signal == SIGKILL || how.signal == SIGTERM)
    return {end_class::killed, exit_text(how, known), {}};
  if (how.code != 0)
    return {says_want_of_memory(how, known) ? end_class::out_of_memory : end_class::user_error,
            exit_text(how, known),
            {}};
  if (!known.saw_objective && !known.is_host)
    return judge_without_objective(how, known);
  return {end_class::finished, known.failure ? known.failure->text : "", {}};
}

/// Judges a program that was told to end or was given up. Even a KILL was this node's own doing.
exit_judgement judge_asked_end(const exit_info& how, const exit_facts& known) {
  auto by_us = how.requested && how.signal == SIGKILL;
  if (known.ending && known.late_export && (known.killed || by_us))
    return {end_class::stopped, late_export_text, {}};
  if (known.ending && (known.killed || (known.late_stop && how.requested)))
    return {end_class::stopped,
            "did not end within [cluster] stop_grace after it was to stop; ended by tune-node",
            {},
            true};
  if (known.killed)
    return {end_class::killed, how.guard_lost ? how.trouble : exit_text(how, known), {}};
  if (how.signal == SIGKILL && !by_us)
    return {end_class::killed, {}, {}};
  return {end_class::stopped,
          by_us ? "did not end within kill_grace after TERM; killed by tune-node" : how.trouble,
          {}};
}

exit_judgement judge_class(const exit_info& how, const exit_facts& known) {
  if (how.guard_lost && !how.requested)
    return {end_class::node_lost, how.trouble, {}};
  if (!how.trouble.empty() && !how.guard_lost)
    return {
        how.fault == ec::process ? end_class::user_error : end_class::preempted, how.trouble, {}};
  if (!known.breach.empty() && (how.requested || how.code == 0))
    return {end_class::user_error, known.breach, {}};
  if (known.ending || known.killed)
    return judge_asked_end(how, known);
  if (known.late_export)
    return judge_late_export(how, known);
  return judge_own_end(how, known);
}

} // namespace

exit_judgement without_files(exit_judgement judged, const std::string& gone) {
  if (gone.empty() || judged.how != end_class::user_error)
    return judged;
  judged.how = end_class::node_lost;
  judged.detail = gone + (judged.detail.empty() ? "" : "\n" + judged.detail);
  return judged;
}

exit_judgement judge_exit(const exit_info& how, const exit_facts& known) {
  auto result = judge_class(how, known);
  if (how.code)
    result.exit_status = *how.code;
  else if (how.signal)
    result.exit_status = -*how.signal;
  return result;
}

} // namespace tune
