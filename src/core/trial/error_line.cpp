// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/error_line.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tune {

namespace {

bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '.' || c == '$';
}

std::string_view without_blanks(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

/// The dotted name of the error that the line names; empty: it names none.
std::string_view error_name(std::string_view line) {
  line = without_blanks(line);
  const auto end = std::find_if_not(line.begin(), line.end(), is_in_name);
  const auto name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  const auto rest = line.substr(name.size());
  const auto is_whole = rest.empty() || rest.front() == ':' || rest.starts_with(" [");
  return is_whole && (name.ends_with("Error") || name.ends_with("Exception")) ? name
                                                                              : std::string_view{};
}

bool is_of_trace(std::string_view line) {
  line = without_blanks(line);
  return line.starts_with("File \"") || line.starts_with("Traceback (");
}

bool tells_want_of_memory(std::string_view line) {
  static constexpr std::array<std::string_view, 3> names{"OutOfMemoryError", "MemoryError",
                                                         "_ArrayMemoryError"};
  static constexpr std::array<std::string_view, 6> words{"CUDA out of memory",
                                                         "HIP out of memory",
                                                         "CUDA error: out of memory",
                                                         "HIP error: out of memory",
                                                         "RESOURCE_EXHAUSTED: Out of memory",
                                                         "std::bad_alloc"};
  auto name = error_name(line);
  name.remove_prefix(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
  return std::find(names.begin(), names.end(), name) != names.end()
         || std::any_of(words.begin(), words.end(),
                        [&](std::string_view x) { return line.find(x) != line.npos; });
}

using line_list = std::span<const std::string_view>;

bool begins(std::string_view line, std::string_view with) {
  return without_blanks(line).starts_with(with);
}

bool has(std::string_view line, std::string_view what) {
  return line.find(what) != line.npos;
}

template <std::size_t N>
bool begins_with_any(std::string_view line, const std::array<std::string_view, N>& of) {
  return std::any_of(of.begin(), of.end(), [&](std::string_view x) { return begins(line, x); });
}

/// How the runtime of a language writes the line that names an error.
struct error_form {
  std::string_view beginning;
  /// In the line, behind its beginning.
  std::string_view part = {};
  /// The beginning of a line further down without which it may be a line of a log.
  std::string_view later = {};
};

constexpr std::array<error_form, 34> error_forms{{
    {"panic: "},
    {"fatal error: "},
    {"thread '", "panicked at "},
    {"Exception in thread \""},
    {"Caused by: "},
    {"UnhandledPromiseRejection: "},
    {"[UnhandledPromiseRejection: "},
    {"Fortran runtime error: "},
    {"ERROR STOP"},
    {"forrtl: "},
    {"Program received signal "},
    {"ERROR: LoadError: "},
    {"ERROR: ", {}, "Stacktrace:"},
    {"ERROR: ", {}, "in expression starting at "},
    {"Error in ", {}, "Execution halted"},
    {"SUMMARY: ", "Sanitizer: "},
    {"==", "==ERROR: "},
    {"what(): "},
    {"terminate called "},
    {"libc++abi: "},
    {"", ": Assertion `"},
    {"", "Check failed: "},
    {"free(): "},
    {"malloc(): "},
    {"realloc(): "},
    {"munmap_chunk(): "},
    {"double free or corruption"},
    {"*** ", " detected ***"},
    {"PHP Fatal error: "},
    {"Fatal error: "},
    {"Unhandled exception"},
    {"** ("},
    {"uncaught exception: "},
    {"error: Uncaught "},
}};

/// Lines of which the one before names the error.
constexpr std::array<std::string_view, 4> line_after{"stack traceback:", "error: called from",
                                                     "CallStack (from ", "while executing"};

/// Lines of stack traces and the like, that come after the error.
constexpr std::array<std::string_view, 19> trace_lines{"at ",
                                                       "from ",
                                                       "... ",
                                                       "(file ",
                                                       "(procedure ",
                                                       "invoked from within",
                                                       "Caused by:",
                                                       "while executing",
                                                       "Calls:",
                                                       "\"",
                                                       "Execution halted",
                                                       "Node.js v",
                                                       "(Use `node ",
                                                       "note: run with `RUST_BACKTRACE",
                                                       "note: Some details are omitted",
                                                       "exit status ",
                                                       "stack traceback:",
                                                       "Stacktrace:",
                                                       "in expression starting at "};

/// Further lines that come with a stack trace, but say something of their own where there is none.
constexpr std::array<std::string_view, 9> by_lines{"Aborted",       "}",
                                                   "goroutine ",    "#",
                                                   "[signal ",      "stack backtrace:",
                                                   "- /",           "Error termination. Backtrace:",
                                                   "Require stack:"};

constexpr std::string_view gap_beginning = "… (";
constexpr std::string_view gap_end = " between)";

bool is_gap(std::string_view line) {
  return begins(line, gap_beginning) && line.ends_with(gap_end);
}

bool is_indented(std::string_view line) {
  return line.starts_with(' ') || line.starts_with('\t');
}

/// "main::f(1) called at a.pl line 3"
bool is_call_of_perl(std::string_view line) {
  const auto i = line.find(" called at ");
  return i != line.npos && has(line.substr(i), " line ");
}

/// "    ^~~", below a line of source.
bool is_pointer(std::string_view line) {
  return line.find_first_not_of(" \t^~") == line.npos;
}

bool is_trace(std::string_view line) {
  return begins_with_any(line, trace_lines) || is_pointer(line) || is_call_of_perl(line);
}

bool has_form(const error_form& x, line_list lines, std::size_t i) {
  if (!begins(lines[i], x.beginning) || !has(lines[i], x.part))
    return false;
  const auto behind = lines.subspan(i + 1);
  return x.later.empty() || std::any_of(behind.begin(), behind.end(), [&](std::string_view line) {
           return begins(line, x.later);
         });
}

/// Rust: `unwrap` of what a thread returned that had panicked itself.
bool is_panic_of_another(line_list lines, std::size_t i) {
  return has(lines[i], "panicked at ") && i + 1 < lines.size() && has(lines[i + 1], "Any { .. }");
}

bool is_error_line(line_list lines, std::size_t i) {
  const auto line = lines[i];
  if (names_error(line))
    return true;
  if (i + 1 < lines.size() && !is_trace(line) && !is_gap(line)
      && (begins_with_any(lines[i + 1], line_after) || is_call_of_perl(lines[i + 1])))
    return true;
  if (line.ends_with("Error)") && has(line, ":in "))
    return true;
  return !is_panic_of_another(lines, i)
         && std::any_of(error_forms.begin(), error_forms.end(),
                        [&](const error_form& x) { return has_form(x, lines, i); });
}

/// Whether the line belongs to a stack trace, so that the error may stand any number of such lines
/// before.
bool is_explained(line_list lines, std::size_t i) {
  const auto line = lines[i];
  // Go writes the place of a function in an indented line below it.
  const auto is_above_place = i + 1 < lines.size() && lines[i + 1].starts_with('\t');
  return is_indented(line) || is_above_place || is_trace(line) || begins_with_any(line, by_lines)
         || (has(line, ": line ") && has(line, " Aborted"));
}

/// The first line that does not belong to an exception that Python ignored, which `first` begins.
std::size_t end_of_ignored(line_list lines, std::size_t first) {
  auto i = first + 1;
  while (i < lines.size()
         && (begins(lines[i], "Traceback (") || is_gap(lines[i]) || is_indented(lines[i])))
    ++i;
  return i == first + 1 ? i : std::min(i + 1, lines.size());
}

/// Marks the lines of exceptions that Python ignored.
std::vector<bool> ignored_in(line_list lines) {
  std::vector<bool> result(lines.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!begins(lines[i], "Exception ignored "))
      continue;
    const auto end = end_of_ignored(lines, i);
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(i),
              result.begin() + static_cast<std::ptrdiff_t>(end), true);
    i = end - 1;
  }
  return result;
}

/// The error at the end of a trace of Python whose last place is at `i`, whatever its name.
std::optional<std::size_t> behind_trace(line_list lines, std::size_t i,
                                        const std::vector<bool>& ignored) {
  if (!is_indented(lines[i]))
    return std::nullopt;
  while (++i < lines.size() && is_indented(lines[i])) {}
  return i < lines.size() && !ignored[i] && !is_gap(lines[i]) ? std::optional{i} : std::nullopt;
}

/// The last line that names an error by its name alone.
std::optional<std::size_t> named_error_in(line_list lines) {
  for (auto i = lines.size(); i > 0 && !is_of_trace(lines[i - 1]); --i) {
    if (names_error(lines[i - 1]))
      return i - 1;
  }
  return std::nullopt;
}

/// What a line of a log says of itself.
enum class log_level : std::uint8_t { none, lower, error };

bool is_numeral(char c) {
  return c >= '0' && c <= '9';
}

bool is_word_end(char c) {
  return !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !is_numeral(c) && c != '_'
         && c != '.';
}

/// The next word of the line, of which it is cut off; empty: there is none.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(static_cast<std::size_t>(
      std::find_if_not(line.begin(), line.end(), is_word_end) - line.begin()));
  const auto end = std::find_if(line.begin(), line.end(), is_word_end);
  const auto result = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  line.remove_prefix(result.size());
  return result;
}

/// The level that a line of a log names in capitals, behind a time and two other words at most: as
/// in `ERROR: no`, `[INFO] x` or `2026-01-02 10:00:00,123 - train - WARNING - y`.
log_level level_of(std::string_view line) {
  static constexpr std::array<std::string_view, 4> errors{"ERROR", "FATAL", "CRITICAL", "SEVERE"};
  static constexpr std::array<std::string_view, 6> lower{"TRACE",  "DEBUG", "INFO",
                                                         "NOTICE", "WARN",  "WARNING"};
  constexpr int most_words = 3;
  for (auto words = 0; words < most_words;) {
    const auto word = next_word(line);
    if (word.empty())
      break;
    if (std::find(errors.begin(), errors.end(), word) != errors.end())
      return log_level::error;
    if (std::find(lower.begin(), lower.end(), word) != lower.end())
      return log_level::lower;
    words += std::any_of(word.begin(), word.end(), is_numeral) ? 0 : 1;
  }
  return log_level::none;
}

/// The last error in a log in which nothing but less follows it.
std::optional<std::size_t> logged_error_in(line_list lines) {
  for (auto i = lines.size(); i-- > 0;) {
    const auto level = level_of(lines[i]);
    if (level == log_level::error)
      return i;
    if (level == log_level::none && !is_trace(lines[i]) && !is_gap(lines[i]))
      break;
  }
  return std::nullopt;
}

} // namespace

bool names_error(std::string_view line) {
  return !error_name(line).empty();
}

std::optional<std::size_t> error_line_in(line_list lines) {
  constexpr std::size_t most_unexplained = 7;
  const auto ignored = ignored_in(lines);
  std::size_t unexplained = 0;
  for (auto i = lines.size(); i-- > 0 && unexplained <= most_unexplained;) {
    if (ignored[i])
      continue;
    if (is_of_trace(lines[i]))
      return behind_trace(lines, i, ignored);
    if (is_error_line(lines, i))
      return i;
    unexplained += is_explained(lines, i) ? 0 : 1;
  }
  return std::nullopt;
}

std::size_t telling_line_in(line_list lines) {
  const auto gap = std::find_if(lines.begin(), lines.end(), is_gap);
  if (gap != lines.end() && std::find_if(gap + 1, lines.end(), is_gap) != lines.end())
    return static_cast<std::size_t>(gap - lines.begin()) + 1;
  if (const auto named = error_line_in(lines))
    return *named;
  if (const auto logged = logged_error_in(lines))
    return *logged;
  for (auto i = lines.size(); i-- > 0;) {
    if (!is_trace(lines[i]) && !is_gap(lines[i]))
      return i;
  }
  return lines.size() - 1;
}

std::string gap_text(std::uint64_t lines) {
  return std::string{gap_beginning} + std::to_string(lines) + (lines == 1 ? " line" : " lines")
         + std::string{gap_end};
}

bool names_want_of_memory(std::span<const std::string_view> lines) {
  const auto told = lines.subspan(named_error_in(lines).value_or(0));
  return std::any_of(told.begin(), told.end(), tells_want_of_memory);
}

} // namespace tune
