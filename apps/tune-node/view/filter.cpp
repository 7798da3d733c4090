// SPDX-License-Identifier: BSD-3-Clause
#include "view/filter.hpp"

#include "tune/core/printable.hpp"
#include "view/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace tune::cli {

namespace {

using fixed_key = std::pair<std::string_view, trial_key::kind>;
constexpr fixed_key fixed_keys[] = {{"trial", trial_key::kind::trial},
                                    {"status", trial_key::kind::status},
                                    {"iterations", trial_key::kind::iterations},
                                    {"failures", trial_key::kind::failures},
                                    {"time_total_s", trial_key::kind::time_total_s},
                                    {"created", trial_key::kind::created},
                                    {"ended", trial_key::kind::ended},
                                    {"text", trial_key::kind::text}};

using prefix = std::pair<std::string_view, column_name::kind>;
constexpr prefix prefixes[] = {{"param:", column_name::kind::parameter},
                               {"last:", column_name::kind::last},
                               {"best:", column_name::kind::best}};
constexpr std::string_view scoped_prefix = "metric:";

using scope_name = std::pair<std::string_view, column_name::kind>;
constexpr scope_name scopes[] = {{"best", column_name::kind::best},
                                 {"last", column_name::kind::last},
                                 {"avg", column_name::kind::average},
                                 {"last-5-avg", column_name::kind::last_5},
                                 {"last-10-avg", column_name::kind::last_10},
                                 {"min", column_name::kind::least},
                                 {"max", column_name::kind::most}};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Reads words, operators and quoted texts, and knows where it is.
class filter_reader {
public:
  explicit filter_reader(std::string_view text) : text_{text} { skip(); }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t column() const { return at_ + 1; }

  /// A word up to a space or an operator.
  std::string_view word() {
    const auto from = at_;
    while (!at_end() && !is_blank(text_[at_])
           && std::string_view{"<>=!~\""}.find(text_[at_]) == std::string_view::npos)
      ++at_;
    const auto result = text_.substr(from, at_ - from);
    skip();
    return result;
  }

  std::optional<comparison::op> sign() {
    using enum comparison::op;
    constexpr std::pair<std::string_view, comparison::op> all[]
        = {{"<=", at_most}, {">=", at_least}, {"!=", other}, {"!~", has_not}, {"==", same},
           {"<", less},     {">", more},      {"=", same},   {"~", has}};
    for (const auto& [text, what] : all) {
      if (text_.substr(at_).starts_with(text)) {
        at_ += text.size();
        skip();
        return what;
      }
    }
    return std::nullopt;
  }

  /// A word up to a space, or a quoted text; nothing if there is none, or its end is missing.
  std::optional<std::string> value() {
    if (at_end())
      return std::nullopt;
    if (text_[at_] == '"')
      return quoted();
    const auto from = at_;
    while (!at_end() && !is_blank(text_[at_]))
      ++at_;
    std::string result{text_.substr(from, at_ - from)};
    skip();
    return result;
  }

private:
  std::string_view text_;
  std::size_t at_ = 0;

  void skip() {
    while (!at_end() && is_blank(text_[at_]))
      ++at_;
  }

  std::optional<std::string> quoted() {
    std::string result;
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        skip();
        return result;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        ++at_;
      result += text_[at_];
    }
    return std::nullopt;
  }
};

/// A number of any size: what does not fit is infinite or 0, as metrics are.
double number_written(const std::string& text) {
  double result = 0;
  const auto* first = text.data() + (text.starts_with('+') ? 1 : 0);
  auto [end, why] = std::from_chars(first, text.data() + text.size(), result);
  if (text.empty() || end != text.data() + text.size())
    return no_number;
  if (why == std::errc::result_out_of_range) // from_chars does not say which way.
    return std::strtod(text.c_str(), nullptr);
  return why == std::errc{} ? result : no_number;
}

bool same_letters(char x, char y) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return lower(x) == lower(y);
}

bool holds_text(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letters)
         != text.end();
}

bool same_word(std::string_view x, std::string_view y) {
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), same_letters);
}

bool is_status(std::string_view text) {
  for (std::size_t i = 0; i < trial_status_count; ++i) {
    if (same_word(text, to_text(static_cast<trial_status>(i))))
      return true;
  }
  return false;
}

error bad_filter(std::size_t column, const std::string& why) {
  return {ec::bad_syntax, "filter, column " + std::to_string(column) + ": " + why};
}

expected<comparison> read_one(filter_reader& from, column_name::kind scope) {
  const auto begin = from.column();
  auto key = parse_key(from.word(), scope);
  if (!key)
    return error{key.error().code,
                 "filter, column " + std::to_string(begin) + ": " + key.error().detail};
  comparison result;
  result.key = std::move(*key);
  const auto sign_at = from.column();
  auto sign = from.sign();
  if (!sign)
    return bad_filter(sign_at, "one of < <= > >= = != ~ !~ is missing");
  const auto value_at = from.column();
  auto text = from.value();
  if (!text)
    return bad_filter(value_at, "a value is missing, or its closing quote");
  using enum comparison::op;
  const auto looks_inside = *sign == has || *sign == has_not;
  if (result.key.what == trial_key::kind::text && !looks_inside)
    return bad_filter(sign_at, "text takes ~ and !~ only");
  const auto is_whole_status
      = result.key.what == trial_key::kind::status && (*sign == same || *sign == other);
  if (is_whole_status && !is_status(*text))
    return bad_filter(value_at, '"' + printable(*text)
                                    + "\" is no status: there are PENDING, RUNNING, PAUSED, "
                                      "TERMINATED and ERRORED");
  result.how = *sign;
  result.text = std::move(*text);
  result.number = number_written(result.text);
  return result;
}

} // namespace

const std::vector<std::string>& scope_names() {
  static const auto result = [] {
    std::vector<std::string> names;
    for (const auto& [name, what] : scopes)
      names.emplace_back(name);
    return names;
  }();
  return result;
}

column_name::kind scope_from(std::string_view name) {
  for (const auto& [each, what] : scopes) {
    if (each == name)
      return what;
  }
  return column_name::kind::best;
}

expected<trial_key> parse_key(std::string_view text, column_name::kind scope) {
  for (const auto& [name, what] : fixed_keys) {
    if (text == name)
      return trial_key{what, {}};
  }
  for (const auto& [name, what] : prefixes) {
    if (text.starts_with(name) && text.size() > name.size())
      return trial_key{trial_key::kind::column, {what, std::string{text.substr(name.size())}}};
  }
  if (text.starts_with(scoped_prefix) && text.size() > scoped_prefix.size())
    return trial_key{trial_key::kind::column,
                     {scope, std::string{text.substr(scoped_prefix.size())}}};
  return error{ec::unknown_name,
               "no such key: there are trial, status, iterations, failures,"
               " time_total_s, created, ended, param:NAME, metric:NAME, best:NAME, last:NAME,"
               " and in filters text"};
}

double fixed_number(const trial_line& line, trial_key::kind what) {
  using enum trial_key::kind;
  switch (what) {
    case trial:
      return static_cast<double>(line.trial.number);
    case status:
      return static_cast<double>(line.status);
    case iterations:
      return static_cast<double>(line.iterations);
    case failures:
      return line.failures;
    case time_total_s:
      return seconds_of(line.time_total);
    case created:
      return seconds_of(line.created);
    case ended:
      return line.ended ? seconds_of(*line.ended) : no_number;
    case column:
    case text:
      break;
  }
  return no_number;
}

expected<std::vector<comparison>> parse_filter(std::string_view text, column_name::kind scope) {
  std::vector<comparison> result;
  if (text.size() > longest_filter)
    return error{ec::bad_option,
                 "filter: longer than " + std::to_string(longest_filter) + " bytes"};
  filter_reader from{text};
  while (!from.at_end()) {
    if (!result.empty()) {
      const auto at = from.column();
      if (!same_word(from.word(), "and"))
        return bad_filter(at, "comparisons are joined by 'and'");
    }
    if (result.size() == most_comparisons)
      return error{ec::bad_option,
                   "filter: more than " + std::to_string(most_comparisons) + " comparisons"};
    auto one = read_one(from, scope);
    if (!one)
      return one.error();
    result.push_back(std::move(*one));
  }
  return result;
}

bool fits(const comparison& by, double number, const std::string* text) {
  using enum comparison::op;
  const auto is_known = text != nullptr || !std::isnan(number);
  switch (by.how) {
    case has:
      return text != nullptr && holds_text(*text, by.text);
    case has_not:
      return text == nullptr || !holds_text(*text, by.text);
    case same:
      return text != nullptr ? same_word(*text, by.text) : number == by.number;
    case other:
      return !is_known || (text != nullptr ? !same_word(*text, by.text) : number != by.number);
    case less:
      return text != nullptr ? *text < by.text : number < by.number;
    case at_most:
      return text != nullptr ? *text <= by.text : number <= by.number;
    case more:
      return text != nullptr ? *text > by.text : number > by.number;
    case at_least:
      return text != nullptr ? *text >= by.text : number >= by.number;
  }
  return false;
}

bool fits(const comparison& by, const trial_table& in, std::size_t place) {
  const auto& line = in.lines()[place];
  if (by.key.what == trial_key::kind::text)
    return true;
  if (by.key.what == trial_key::kind::status) {
    const std::string name{to_text(line.status)};
    return fits(by, no_number, &name);
  }
  if (by.key.what != trial_key::kind::column)
    return fits(by, fixed_number(line, by.key.what), nullptr);
  const auto* values = in.find(by.key.column);
  if (values == nullptr)
    return fits(by, no_number, nullptr);
  const auto& cell = values->at(place);
  return fits(by, cell.number, cell.text < 0 ? nullptr : &values->text_of(cell));
}

} // namespace tune::cli
