// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_pattern.hpp"

#include "escape_sequences.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/process/metric_expression.hpp"
#include "tune/io/process/number_reading.hpp"

#include <pthread.h>

#include <cstddef>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <regex>

namespace tune {

namespace {

constexpr std::size_t longest_matched = 4096;
/// Bytes of stack kept in reserve: std::regex recurses several times per character.
constexpr std::uintptr_t stack_reserve = 128 * 1024;
/// Limit on characters that one expression may examine in one line, backtracking included.
constexpr std::uint64_t most_looks = 2'000'000;

struct too_much {};

/// The lowest address to which this thread's stack may grow.
std::uintptr_t stack_floor() {
  thread_local const auto result = [] {
    pthread_attr_t attributes;
    void* lowest = nullptr;
    std::size_t size = 0;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0)
      return std::uintptr_t{0};
    ::pthread_attr_getstack(&attributes, &lowest, &size);
    ::pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(lowest) + stack_reserve;
  }();
  return result;
}

/// Limits of one search.
struct budget {
  std::uint64_t looks = 0;
  std::uintptr_t floor = stack_floor();

  void spend() {
    auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (++looks > most_looks || here < floor)
      throw too_much{};
  }
};

/// Walks over a line within a budget: std::regex has no other way to be stopped.
class counting_iterator {
public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  counting_iterator() = default;
  counting_iterator(const char* at, budget* left) : at_{at}, left_{left} {}

  reference operator*() const {
    if (left_ != nullptr)
      left_->spend();
    return *at_;
  }
  counting_iterator& operator++() {
    ++at_;
    return *this;
  }
  counting_iterator operator++(int) { return {at_++, left_}; }
  counting_iterator& operator--() {
    --at_;
    return *this;
  }
  counting_iterator operator--(int) { return {at_--, left_}; }
  friend bool operator==(const counting_iterator& a, const counting_iterator& b) {
    return a.at_ == b.at_;
  }
  [[nodiscard]] const char* base() const { return at_; }

private:
  const char* at_ = nullptr;
  budget* left_ = nullptr;
};

/// Knowledge about an expression shared by the readers of all attempts.
struct told {
  std::mutex mutex;
  bool doubt = false;
  bool wrong = false;
  std::optional<std::string> unit{};

  /// @returns whether to report the doubt: true once only.
  bool is_news(const reading_doubt& x) {
    std::lock_guard lock{mutex};
    return !std::exchange(x.is_wrong ? wrong : doubt, true);
  }

  [[nodiscard]] bool was_wrong() {
    std::lock_guard lock{mutex};
    return wrong;
  }

  /// @returns the first unit seen if it differs from `now`.
  std::optional<std::string> other_unit(std::string_view now) {
    std::lock_guard lock{mutex};
    if (!unit)
      unit = now;
    return *unit == now ? std::nullopt : unit;
  }
};

struct pattern {
  std::string name;
  std::string written;
  metric_expression how;
  std::regex expression;
  std::unique_ptr<told> known = std::make_unique<told>();

  /// The doubt about the value that the expression took, if any.
  [[nodiscard]] std::optional<reading_doubt> doubt(std::string_view line, value_place at) const {
    if (auto found = doubt_of(line, at, how))
      return found;
    const auto unit = unit_of(line, at, how);
    const auto other = unit ? known->other_unit(*unit) : std::nullopt;
    return other ? std::optional{doubt_of_units(*other, *unit)} : std::nullopt;
  }
};

/// Longest part of a line that is shown to users. [bytes]
constexpr std::size_t longest_shown = 160;

expected<std::regex> compile(const std::string& text, const std::string& what) {
  try {
    return std::regex{expand_expression(text).text, std::regex::ECMAScript};
  } catch (const std::regex_error& e) {
    return error{ec::bad_syntax,
                 what + ": '" + text + "' is not a regular expression: " + e.what()};
  }
}

/// The value that a {number} matched; Fortran's exponent letter `d` is read as `e`.
value number_in(std::string text) {
  for (auto& c : text)
    c = c == 'd' || c == 'D' ? 'e' : c;
  return value_in(text);
}

/// A line as shown to users.
std::string shown(std::string_view line) {
  return printable(line.substr(0, longest_shown)) + (line.size() > longest_shown ? "…" : "");
}

std::string remark_text(const pattern& of, std::string_view line, std::string_view read,
                        const reading_doubt& doubt) {
  return "metric." + of.name + " = " + of.written + (doubt.is_wrong ? " does not take " : " reads ")
         + printable(read.substr(0, longest_shown)) + " from the line \"" + shown(line)
         + "\", where " + doubt.what + "; " + doubt.advice;
}

} // namespace

struct metric_pattern::state {
  /// Immutable, since many attempts share them.
  struct expressions {
    std::vector<pattern> metrics;
    std::optional<std::regex> report_on;
    report_mode mode = report_mode::line;
    std::string objective;
    std::vector<file_metric> files;
  };
  std::shared_ptr<const expressions> what;
  object latest;
  std::uint64_t given_up = 0;
  /// Remarks not taken yet: at most two for each expression.
  std::deque<pattern_remark> remarks{};
  /// Why the first rejected value of the objective was rejected; empty if none was.
  std::string not_taken{};
  bool has_reported = false;
  /// Metrics that first appeared after the last report, with the text about their origin that
  /// follows the metric's name.
  std::vector<std::pair<std::string, std::string>> unreported{};
  metric_files files{{}};

  /// @param group The group that holds the value; 0: the whole match.
  /// @returns the value's position.
  std::optional<value_place> search(std::string_view line, const std::regex& expression,
                                    std::size_t group) {
    budget left;
    std::match_results<counting_iterator> match;
    try {
      if (!std::regex_search(counting_iterator{line.data(), &left},
                             counting_iterator{line.data() + line.size(), &left}, match,
                             expression))
        return std::nullopt;
    } catch (const too_much&) {
      ++given_up;
      return std::nullopt;
    } catch (const std::regex_error&) { // The library's own limits: stack or complexity.
      ++given_up;
      return std::nullopt;
    }
    const auto& found = match.size() > group && match[group].matched ? match[group] : match[0];
    return value_place{static_cast<std::size_t>(found.first.base() - line.data()),
                       static_cast<std::size_t>(found.second.base() - line.data())};
  }

  /// @returns whether the line has the metric; its value is then in `latest`.
  bool read(std::string_view line, const pattern& by) {
    auto place = search(line, by.expression, by.how.group);
    if (!place)
      return false;
    const auto text = line.substr(place->begin, place->end - place->begin);
    if (const auto doubt = by.doubt(line, *place)) {
      tell(by, line, text, *doubt);
      if (doubt->is_wrong)
        return false;
    }
    take(by.name, by.how.is_number ? number_in(std::string{text}) : value_in(text), [&] {
      return " = " + by.written + " reads " + printable(text.substr(0, longest_shown))
             + " from the line \"" + shown(line) + "\"";
    });
    return true;
  }

  /// @param from Returns a text about the value's origin.
  template <class From>
  void take(const std::string& metric, value what, From from) {
    if (!latest.contains(metric))
      unreported.emplace_back(metric, from());
    latest.set(metric, std::move(what));
  }

  /// Takes the values of files that have changed. @returns whether the objective's is among them.
  bool take_files() {
    auto result = false;
    for (auto& [name, found] : files.changed()) {
      result = result || name == what->objective;
      take(name, std::move(found), [] { return std::string{" has a value in its file"}; });
    }
    return result;
  }

  object report() {
    has_reported = true;
    unreported.clear();
    return latest;
  }

  void tell(const pattern& by, std::string_view line, std::string_view text,
            const reading_doubt& doubt) {
    if (doubt.is_wrong && by.name == what->objective && not_taken.empty())
      not_taken = remark_text(by, line, text, doubt);
    if (by.known->is_news(doubt))
      remarks.push_back({"metric." + by.name + (doubt.is_wrong ? " wrong" : ""),
                         remark_text(by, line, text, doubt)});
  }
};

expected<metric_pattern> metric_pattern::make(const metric_pattern_options& options) {
  auto result = std::make_shared<state::expressions>();
  result->mode = options.mode;
  result->objective = options.objective;
  auto has_objective = false;
  for (const auto& [name, text] : options.metrics) {
    auto expression = compile(text, "metric." + name);
    if (!expression)
      return expression.error();
    has_objective = has_objective || name == options.objective;
    result->metrics.push_back({name, text, expand_expression(text), std::move(*expression)});
  }
  result->files = options.files;
  for (const auto& file : options.files)
    has_objective = has_objective || file.metric == options.objective;
  if (!options.report_on.empty()) {
    auto expression = compile(options.report_on, "report_on");
    if (!expression)
      return expression.error();
    result->report_on = std::move(*expression);
  } else if (options.mode == report_mode::line && !has_objective) {
    return error{ec::bad_option, "report = line needs report_on, or metric." + options.objective
                                     + " for the objective"};
  }
  auto unread = std::make_unique<state>();
  unread->what = std::move(result);
  unread->files = metric_files{unread->what->files};
  return metric_pattern{std::move(unread)};
}

metric_pattern metric_pattern::fresh() const {
  auto result = std::make_unique<state>();
  result->what = state_->what;
  result->files = metric_files{result->what->files};
  return metric_pattern{std::move(result)};
}

bool metric_pattern::reads_files() const {
  return !state_->what->files.empty();
}

void metric_pattern::begin_in(const std::filesystem::path& directory) {
  state_->files.begin_in(directory);
}

metric_pattern::metric_pattern(std::unique_ptr<state> made) : state_{std::move(made)} {}
metric_pattern::metric_pattern(metric_pattern&&) noexcept = default;
metric_pattern& metric_pattern::operator=(metric_pattern&&) noexcept = default;
metric_pattern::~metric_pattern() = default;

std::optional<object> metric_pattern::read(std::string_view line) {
  // Numbers of colours are none of the program's.
  const auto plain = line.find('\x1b') == line.npos
                         ? std::string{}
                         : without_escapes(line.substr(0, longest_matched));
  const auto part = plain.empty() ? line.substr(0, longest_matched) : std::string_view{plain};
  auto reports = false;
  for (const auto& each : state_->what->metrics) {
    if (state_->read(part, each))
      reports = reports || each.name == state_->what->objective;
  }
  if (state_->what->mode == report_mode::final)
    return std::nullopt;
  if (state_->what->report_on)
    reports = state_->search(part, *state_->what->report_on, 0).has_value();
  if (!reports)
    return std::nullopt;
  // What was written before the line belongs to it, although the news of that may come later.
  static_cast<void>(state_->take_files());
  return state_->latest.empty() ? std::nullopt : std::optional{state_->report()};
}

std::optional<object> metric_pattern::read_files() {
  const auto reports = state_->take_files();
  // It was closed as it is now: before a line that reports it may be half written.
  for (const auto& [path, why] : state_->files.take_spoilt())
    state_->remarks.push_back({path + " spoilt", path
                                                     + " cannot be read as it was written last, so"
                                                       " that its metrics keep their values from"
                                                       " before: "
                                                     + why});
  if (!reports || state_->what->report_on || state_->what->mode == report_mode::final)
    return std::nullopt;
  return state_->report();
}

std::optional<object> metric_pattern::finish() const {
  if (state_->what->mode != report_mode::final || state_->latest.empty())
    return std::nullopt;
  return state_->latest;
}

std::string metric_pattern::why_missing() const {
  const auto& objective = state_->what->objective;
  for (const auto& [metric, from] : state_->unreported)
    if (metric == objective && state_->what->report_on)
      return "metric." + metric + from + " after the last line that reports, see report_on";
  const auto& never = state_->files.never_came();
  const auto file = never.find(objective);
  return file == never.end() ? state_->not_taken : file->second;
}

std::vector<pattern_remark> metric_pattern::never_reported() const {
  const auto& all = *state_->what;
  std::vector<pattern_remark> result;
  if (!state_->latest.contains(all.objective))
    return result;
  auto add = [&](const std::string& metric, const std::string& text) {
    result.push_back({"metric." + metric + " never seen", "metric." + metric + text});
  };
  for (const auto& each : all.metrics) {
    if (!state_->latest.contains(each.name) && !each.known->was_wrong())
      add(each.name, " = " + each.written + " matched nothing that it printed until its end");
  }
  // One fault of a file is told once, however many metrics it concerns.
  std::map<std::string, std::vector<std::string>> by_fault;
  for (const auto& [metric, why] : state_->files.never_came())
    by_fault[why].push_back(metric);
  for (const auto& [why, metrics] : by_fault) {
    std::string others;
    for (std::size_t i = 1; i < metrics.size(); ++i)
      others += (i + 1 < metrics.size() ? ", metric." : " and metric.") + metrics[i];
    add(metrics.front(), others + " had no value until its end: " + why);
  }
  if (!state_->has_reported)
    return result;
  for (const auto& [metric, from] : state_->unreported)
    result.push_back({"metric." + metric + " too late",
                      "metric." + metric + from
                          + " after the last report, so no result has it; "
                            "have it come before a line that reports, see report_on, or set "
                            "report = final"});
  return result;
}

std::optional<pattern_remark> metric_pattern::take_remark() {
  if (state_->remarks.empty())
    return std::nullopt;
  auto first = std::move(state_->remarks.front());
  state_->remarks.pop_front();
  return first;
}

const object& metric_pattern::latest() const {
  return state_->latest;
}

std::uint64_t metric_pattern::given_up() const {
  return state_->given_up;
}

} // namespace tune
