// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/number_reading.hpp"

#include "tune/core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace tune {

namespace {

using beside = written_beside::kind;
using doubt = std::optional<reading_doubt>;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != set.npos;
}

/// The character at a position; a blank beyond the end.
char at(std::string_view text, std::size_t place) {
  return place < text.size() ? text[place] : ' ';
}

/// How many consecutive characters from a position on satisfy a predicate.
template <class Predicate>
std::size_t run_of(std::string_view text, std::size_t from, Predicate is) {
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size()));
  return static_cast<std::size_t>(std::find_if_not(begin, text.end(), is) - begin);
}

/// The longest suffix whose characters satisfy a predicate.
template <class Predicate>
std::string_view tail_of(std::string_view text, Predicate is) {
  const auto end = std::find_if_not(text.rbegin(), text.rend(), is);
  return text.substr(static_cast<std::size_t>(text.rend() - end));
}

/// A numeric value and the text around it in its line.
struct reading {
  std::string_view value;
  std::string_view before;
  std::string_view behind;
  const metric_expression& by;

  [[nodiscard]] bool has_sign() const { return is_one_of(value[0], "+-"); }
  [[nodiscard]] std::string_view digits() const { return value.substr(has_sign() ? 1 : 0); }
  [[nodiscard]] bool is_whole() const {
    return std::all_of(digits().begin(), digits().end(), is_digit);
  }
  [[nodiscard]] char last() const { return before.empty() ? ' ' : before.back(); }
  [[nodiscard]] char earlier() const { return before.size() > 1 ? before[before.size() - 2] : ' '; }
};

/// Digits with an optional point and exponent; not a word such as inf, which ends at a word
/// boundary.
bool is_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-'))
    text.remove_prefix(1);
  if (text.empty() || !(is_digit(text[0]) || (text[0] == '.' && is_digit(at(text, 1)))))
    return false;
  double ignored{};
  const auto* end = std::from_chars(text.data(), text.data() + text.size(), ignored).ptr;
  if (end == text.data() + text.size())
    return true;
  // Fortran's exponent.
  const auto rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return is_one_of(rest[0], "dD") && rest.size() > 1
         && std::all_of(rest.begin() + 1, rest.end(),
                        [](char c) { return is_digit(c) || is_one_of(c, "+-"); });
}

std::string value_name(const reading& x) {
  return x.by.is_number ? "{number}" : "the group";
}

// Checks of the text before the value.

doubt wrong_begin(const reading& x, std::string_view part) {
  return reading_doubt{in_quotes(part) + " stands before it",
                       "mend what stands before " + value_name(x)
                           + " (.*? takes as little as it can, .* as much)",
                       true};
}

/// The value begins after "7.5e-" of 7.5e-05, or after its "7.5e"; Fortran writes a "d" there.
doubt begins_in_exponent(const reading& x) {
  auto mantissa = x.before;
  if (!x.has_sign() && is_one_of(x.last(), "+-"))
    mantissa.remove_suffix(1);
  if (mantissa.empty() || !is_one_of(mantissa.back(), "eEdD"))
    return {};
  const auto power = tail_of(x.before, [](char c) { return is_word(c) || is_one_of(c, "+-."); });
  const auto number = power.substr(0, power.find_first_of("eEdD"));
  // "resnet50e-5" is a name.
  return is_number(number) && number.data() + number.size() + 1 == mantissa.data() + mantissa.size()
             ? wrong_begin(x, power)
             : doubt{};
}

/// The value begins after its own sign.
doubt begins_behind_sign(const reading& x) {
  if (x.has_sign())
    return {};
  if (x.before.ends_with("−"))
    return wrong_begin(x, "−");
  // In "epoch-5" and "2024-05" the hyphen is no sign.
  if (x.last() != '-' || is_word(x.earlier()) || is_one_of(x.earlier(), "-).]"))
    return {};
  auto result = wrong_begin(x, "-");
  // A custom group may leave out the sign on purpose.
  result->is_wrong
      = x.by.is_number || x.by.before.what != beside::character || x.by.before.literal != '-';
  if (!result->is_wrong)
    result->advice = "{number} in the group's place reads all of a number";
  return result;
}

/// The value begins within digits, or after their decimal point.
doubt begins_in_digits(const reading& x) {
  if (x.has_sign())
    return {};
  const auto is_padding = x.by.before.what == beside::character && x.by.before.literal == x.last();
  const auto goes_on = is_digit(x.last()) && !is_padding;
  const auto earlier = x.earlier();
  const auto has_point
      = x.last() == '.' && x.value[0] != '.' && !is_letter(earlier) && !is_one_of(earlier, "_).]");
  if (!goes_on && !has_point)
    return {};
  return wrong_begin(x, tail_of(x.before, [](char c) { return is_digit(c) || c == '.'; }));
}

/// The value begins at the hyphen of 2024-11 or 3-5.
doubt begins_at_hyphen(const reading& x) {
  if (!x.has_sign() || !is_digit(x.last()))
    return {};
  const auto number = tail_of(x.before, [](char c) { return is_word(c) || is_one_of(c, ".-/"); });
  return reading_doubt{"it is a part of " + in_quotes(std::string{number} + std::string{x.value}),
                       "where another number is meant, write what stands before that one", false};
}

doubt begins_in_word(const reading& x) {
  const auto& by = x.by.before;
  const auto is_meant = by.what == beside::one_of || by.what == beside::group
                        || (by.what == beside::character && by.literal == x.last());
  if (is_meant || !(is_letter(x.last()) || x.last() == '_'))
    return {};
  return reading_doubt{
      "it is a part of "
          + in_quotes(std::string{tail_of(x.before, is_word)} + std::string{x.value}),
      "where another number is meant, write what stands before that one", false};
}

doubt doubt_before(const reading& x) {
  if (auto found = begins_in_exponent(x))
    return found;
  if (x.by.before.demands(x.last()))
    return {};
  for (const auto rule : {begins_in_digits, begins_behind_sign, begins_at_hyphen, begins_in_word}) {
    if (auto found = rule(x))
      return found;
  }
  return {};
}

// Checks of the text after the value.

doubt behind(std::string_view part, std::string advice, bool is_wrong) {
  return reading_doubt{in_quotes(part) + " follows it", std::move(advice), is_wrong};
}

std::string cut_advice(const reading& x) {
  return x.by.is_number ? "mend what stands behind {number}"
                        : "{number} in the group's place reads all of a number";
}

std::string plain_advice(const reading& x) {
  return "let the program print a plain number such as 1234.5, or write behind " + value_name(x)
         + " what follows there, if only this part is meant";
}

/// An exponent such as "e-05" at the beginning of a text; empty if there is none.
std::string_view exponent_of(std::string_view text) {
  if (!is_one_of(at(text, 0), "eEdD"))
    return {};
  const auto has_sign = is_one_of(at(text, 1), "+-");
  const std::size_t begin = has_sign ? 2 : 1;
  const auto digits = run_of(text, begin, is_digit);
  // "3e5f" is no number, but "1e-5s" is a number with a unit.
  const auto next = at(text, begin + digits);
  const auto is_name = !has_sign && (is_letter(next) || next == '_');
  return digits == 0 || is_name ? std::string_view{} : text.substr(0, begin + digits);
}

/// The digits, and points followed by a digit, at the beginning of a text.
std::string_view fraction_of(std::string_view text) {
  std::size_t end = 0;
  while (is_digit(at(text, end)) || (at(text, end) == '.' && is_digit(at(text, end + 1))))
    ++end;
  return text.substr(0, end);
}

/// An exponent or digits follow: left out by the expression, or part of something that is not a
/// number.
doubt ends_in_number(const reading& x) {
  const auto is_plain = x.digits().find_first_of("eEdD") == std::string_view::npos;
  if (const auto power = exponent_of(x.behind); !power.empty() && is_plain)
    return behind(power, cut_advice(x), false);
  const auto digits = fraction_of(x.behind);
  if (digits.empty())
    return {};
  const auto points = std::count(x.value.begin(), x.value.end(), '.')
                      + std::count(digits.begin(), digits.end(), '.') + (is_plain ? 0 : 1);
  if (points > 1)
    return behind(digits, plain_advice(x), !x.is_whole());
  return behind(std::string{digits} + std::string{exponent_of(x.behind.substr(digits.size()))},
                cut_advice(x), false);
}

/// The value is the 0 of 0x1f, 0b101 or 0o17.
doubt ends_in_prefix(const reading& x) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> bases{
      {{"xX", "0123456789abcdefABCDEF"}, {"bB", "01"}, {"oO", "01234567"}}};
  if (x.digits() != "0")
    return {};
  for (const auto& [letters, digits] : bases) {
    if (!is_one_of(at(x.behind, 0), letters))
      continue;
    const auto length = run_of(x.behind, 1, [set = digits](char c) { return is_one_of(c, set); });
    if (length > 0 && !is_word(at(x.behind, length + 1)))
      return behind(x.behind.substr(0, length + 1), plain_advice(x), true);
  }
  return {};
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(run_of(text, 0, [](char c) { return c == ' '; }));
}

/// A power of ten as people write it, such as "*10^-3", " x 10**5"; empty if there is none.
std::string_view power_of_ten(std::string_view text) {
  for (const std::string_view sign : {"*", "x", "×", "·"}) {
    auto rest = without_blanks(text);
    if (!rest.starts_with(sign))
      continue;
    rest = without_blanks(rest.substr(sign.size()));
    for (const std::string_view ten : {"10^", "10**"}) {
      if (rest.starts_with(ten)) {
        const auto begin = static_cast<std::size_t>(rest.data() - text.data()) + ten.size();
        const auto digits = [](char c) { return is_digit(c) || is_one_of(c, "+-({})"); };
        return text.substr(0, begin + run_of(text, begin, digits));
      }
    }
  }
  return {};
}

/// The "-105" of 0.123-105: Fortran leaves out the letter before three digits. Empty otherwise.
std::string_view bare_exponent_of(const reading& x) {
  constexpr std::size_t width = 3;
  const auto next = at(x.behind, 1 + width);
  const auto is_it = x.value.find('.') != std::string_view::npos
                     && x.value.find_first_of("eEdD") == std::string_view::npos
                     && is_one_of(at(x.behind, 0), "+-") && run_of(x.behind, 1, is_digit) == width
                     && !is_word(next) && next != '.';
  return is_it ? x.behind.substr(0, 1 + width) : std::string_view{};
}

/// The "q-3" of 1.5q-3, which is an exponent of a quadruple precision number in Fortran.
std::string_view quad_exponent_of(std::string_view text) {
  if (!is_one_of(at(text, 0), "qQ"))
    return {};
  const std::size_t begin = is_one_of(at(text, 1), "+-") ? 2 : 1;
  const auto end = begin + run_of(text, begin, is_digit);
  return end == begin || is_word(at(text, end)) ? std::string_view{} : text.substr(0, end);
}

/// The value is part of a number in a form that {number} does not know.
doubt ends_in_other_form(const reading& x) {
  for (const auto part :
       {power_of_ten(x.behind), bare_exponent_of(x), quad_exponent_of(x.behind)}) {
    if (!part.empty())
      return behind(part, plain_advice(x), true);
  }
  // Microsoft's 1.#INF and 1.#IND.
  if (is_one_of(x.value.back(), ".") && x.behind.starts_with("#"))
    return behind(x.behind.substr(0, 1 + run_of(x.behind, 1, is_word)), plain_advice(x), true);
  const auto rest = without_blanks(x.behind);
  const auto power = exponent_of(rest);
  const auto is_apart = rest.size() < x.behind.size() && power.size() > 1
                        && is_one_of(power[1], "+-") && !is_word(at(rest, power.size()));
  return is_apart ? behind(power, plain_advice(x), false) : doubt{};
}

/// Groups of three digits, each preceded by the same mark; empty if there is anything else.
std::string_view groups_of(std::string_view text, std::string_view mark) {
  std::size_t end = 0;
  while (text.substr(end).starts_with(mark)) {
    const auto digits = run_of(text, end + mark.size(), is_digit);
    if (digits != 3)
      return {};
    end += mark.size() + digits;
  }
  return text.substr(0, end);
}

/// Whether a decimal comma may follow: 12 and 1.234, but not 0.5.
bool may_be_before_comma(const reading& x) {
  const auto point = x.digits().find('.');
  const auto is_group = point != std::string_view::npos && point > 0 && point <= 3
                        && x.digits().size() - point == 4 && x.digits()[0] != '0';
  return x.is_whole() || is_group;
}

/// A separator follows: 1,234.5 and 1_000; 0,5 and 1.234,5 with a decimal comma.
doubt ends_at_separator(const reading& x) {
  constexpr std::size_t longest_first = 3;
  for (const std::string_view mark : {",", "_", "'", "’", "\u00a0", "\u202f", "\u2009"}) {
    if (!x.behind.starts_with(mark))
      continue;
    const auto begin = mark.size();
    const auto groups = groups_of(x.behind, mark);
    const auto is_group = x.is_whole() && x.digits().size() <= longest_first && !groups.empty()
                          && !is_word(at(x.behind, groups.size()));
    if (is_group)
      return behind(groups, plain_advice(x), true);
    const auto digits = run_of(x.behind, begin, is_digit);
    if (digits > 0 && (mark == "_" || (mark == "," && may_be_before_comma(x))))
      return behind(x.behind.substr(0, begin + digits), plain_advice(x), false);
  }
  return {};
}

/// The value is part of a time or date: 12:30, 2024-05-01, 24/05/01.
doubt ends_in_time(const reading& x) {
  const auto first = at(x.behind, 0);
  const auto digits = run_of(x.behind, 1, is_digit);
  const auto second = at(x.behind, digits + 1);
  const auto is_time = first == ':' && digits == 2;
  const auto is_date = is_one_of(first, "-/") && digits > 0 && digits <= 2 && second == first
                       && is_digit(at(x.behind, digits + 2));
  if (!x.is_whole() || x.digits().size() > 4 || !(is_time || is_date))
    return {};
  return behind(x.behind.substr(0, digits + 1),
                "where another number is meant, write what stands before that one", false);
}

/// Letters follow: 1.5k, or the 3 of 3fa9.
doubt ends_in_word(const reading& x) {
  const auto word = x.behind.substr(0, run_of(x.behind, 0, is_word));
  if (word.empty() || !(is_letter(word[0]) || word[0] == '_'))
    return {};
  if (word.size() == 1 && is_one_of(word[0], "kKMGT"))
    return behind(word, "let the program print all digits, or the same unit always", false);
  if (std::none_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '_'; }))
    return {};
  return reading_doubt{"it is a part of " + in_quotes(std::string{x.value} + std::string{word}),
                       "where another number is meant, write what stands before that one", false};
}

doubt doubt_behind(const reading& x) {
  if (x.behind.empty() || x.by.behind.demands(x.behind[0]))
    return {};
  for (const auto rule : {ends_in_prefix, ends_in_number, ends_in_other_form, ends_at_separator,
                          ends_in_time, ends_in_word}) {
    if (auto found = rule(x))
      return found;
  }
  return {};
}

reading reading_of(std::string_view line, value_place value, const metric_expression& by) {
  return {line.substr(value.begin, value.end - value.begin), line.substr(0, value.begin),
          line.substr(value.end), by};
}

/// Whether it is beyond what a float can hold; `d` is Fortran's exponent letter.
bool is_too_large(std::string_view number) {
  std::string text{number};
  std::replace_if(
      text.begin(), text.end(), [](char c) { return is_one_of(c, "dD"); }, 'e');
  return std::isinf(std::strtod(text.c_str(), nullptr));
}

} // namespace

std::optional<reading_doubt> doubt_of(std::string_view line, value_place value,
                                      const metric_expression& by) {
  const auto x = reading_of(line, value, by);
  if (!is_number(x.value))
    return {};
  auto before = doubt_before(x);
  if (before && before->is_wrong)
    return before;
  auto after = doubt_behind(x);
  if (!before && !after && is_too_large(x.value))
    return reading_doubt{"it is beyond what a float can hold, and counts as infinite",
                         "let the program print a smaller number, or inf if that is meant", false};
  return after && (after->is_wrong || !before) ? after : before;
}

std::optional<std::string_view> unit_of(std::string_view line, value_place value,
                                        const metric_expression& by) {
  const auto x = reading_of(line, value, by);
  if (!is_number(x.value) || by.behind.what == beside::character
      || by.behind.what == beside::one_of)
    return {};
  if (x.behind.starts_with('%'))
    return x.behind.substr(0, 1);
  return x.behind.substr(0, run_of(x.behind, 0, is_letter));
}

reading_doubt doubt_of_units(std::string_view earlier, std::string_view now) {
  const auto named = [](std::string_view unit) {
    return unit.empty() ? std::string{"nothing"} : in_quotes(unit);
  };
  return {named(now) + " follows it, and " + named(earlier) + " followed another one",
          "let the program print the same unit always", false};
}

} // namespace tune
