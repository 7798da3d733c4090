// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_expression.hpp"

#include <algorithm>

namespace tune {

namespace {

constexpr std::string_view number_group
    = R"(([+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?)"
      R"(|(?:[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])(?![A-Za-z0-9_]))))";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Walks over an expression and knows what is escaped, or stands in a class of characters.
class expander {
public:
  explicit expander(std::string_view written) : rest_{written} {}

  metric_expression run() {
    while (!rest_.empty())
      step();
    return std::move(made_);
  }

private:
  std::string_view rest_;
  metric_expression made_;
  std::size_t groups_ = 0;
  bool in_class_ = false;
  char last_ = 0;

  void step() {
    if (rest_[0] == '\\' && rest_.size() > 1)
      return take(2);
    if (!in_class_ && rest_.starts_with(number_placeholder))
      return take_number();
    if (!in_class_ && rest_[0] == '(' && !rest_.substr(1).starts_with('?'))
      open_group();
    in_class_ = in_class_ ? rest_[0] != ']' : rest_[0] == '[';
    take(1);
  }

  void take(std::size_t count) {
    last_ = rest_[count - 1];
    made_.text += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  void take_number() {
    ++groups_;
    if (!made_.is_number) {
      made_.is_number = true;
      made_.group = groups_;
      made_.before = last_;
    }
    made_.text += number_group;
    rest_.remove_prefix(number_placeholder.size());
    last_ = '}';
  }

  void open_group() {
    if (++groups_ > 1 || made_.is_number)
      return;
    made_.group = 1;
    made_.before = last_;
  }
};

/// Whether the text is digits with at most one point among them, after a sign perhaps.
bool is_plain_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+'))
    text.remove_prefix(1);
  return std::any_of(text.begin(), text.end(), is_digit)
         && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; })
         && std::count(text.begin(), text.end(), '.') <= 1;
}

/// "e-05" at the beginning of a text; empty where there is none.
std::string_view exponent_of(std::string_view text) {
  if (text.empty() || std::string_view{"eEdD"}.find(text[0]) == std::string_view::npos)
    return {};
  const auto has_sign = text.size() > 1 && (text[1] == '-' || text[1] == '+');
  const std::size_t digits = has_sign ? 2 : 1;
  auto end = digits;
  while (end < text.size() && is_digit(text[end]))
    ++end;
  // "3e5f" is no number, but "1e-5s" is one of seconds.
  const auto is_word = !has_sign && end < text.size() && is_letter(text[end]);
  return end == digits || is_word ? std::string_view{} : text.substr(0, end);
}

/// Digits, and a fraction where the value has none yet, that go on behind it.
std::string_view digits_of(std::string_view text, bool has_point) {
  std::size_t end = 0;
  auto points = has_point ? 1 : 0;
  while (end < text.size()
         && (is_digit(text[end])
             || (text[end] == '.' && points++ == 0 && end + 1 < text.size()
                 && is_digit(text[end + 1]))))
    ++end;
  return text.substr(0, end);
}

std::string follows(std::string_view what) {
  return '"' + std::string{what} + "\" follows it";
}

std::string left_out_behind(std::string_view value, std::string_view rest) {
  if (const auto power = exponent_of(rest); !power.empty())
    return follows(power);
  const auto digits = digits_of(rest, value.find('.') != value.npos);
  // What has further points is a version or a date.
  if (digits.empty() || rest.substr(digits.size()).starts_with('.'))
    return {};
  return follows(std::string{digits} + std::string{exponent_of(rest.substr(digits.size()))});
}

std::string left_out_before(std::string_view value, std::string_view before, char written) {
  if (before.empty() || before.back() == written)
    return {};
  const auto last = before.back();
  if (last == '-' && is_digit(value[0])) {
    const auto earlier = before.size() > 1 ? before[before.size() - 2] : ' ';
    // In "epoch-5" and "2024-05" it is no sign.
    const auto joins = is_digit(earlier) || is_letter(earlier) || earlier == '-' || earlier == ')'
                       || earlier == '.';
    return joins ? std::string{} : "\"-\" stands before it";
  }
  if (is_digit(last) && !is_digit(written))
    return std::string{"\""} + last + "\" stands before it";
  return {};
}

} // namespace

metric_expression expand_expression(std::string_view written) {
  return expander{written}.run();
}

std::string left_out(std::string_view line, value_place value, const metric_expression& by) {
  const auto text = line.substr(value.begin, value.end - value.begin);
  if (!is_plain_number(text))
    return {};
  if (auto behind = left_out_behind(text, line.substr(value.end)); !behind.empty())
    return behind;
  return left_out_before(text, line.substr(0, value.begin), by.before);
}

} // namespace tune
