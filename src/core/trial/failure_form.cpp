// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/failure_form.hpp"

#include <algorithm>
#include <array>

namespace tune {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// The length of "/jobs/NAME-0123456789abcdef" at the beginning of the text, if a slash follows:
/// a node keeps an experiment's files below such a path; 0: it begins otherwise.
std::size_t length_of_job(std::string_view text) {
  constexpr std::string_view jobs = "/jobs/";
  constexpr std::size_t digits = 16;
  if (!text.starts_with(jobs))
    return 0;
  const auto end = std::min(text.find('/', jobs.size()), text.size());
  const auto name = text.substr(jobs.size(), end - jobs.size());
  const auto is_job = end < text.size() && name.size() > digits
                      && name[name.size() - digits - 1] == '-'
                      && std::all_of(name.end() - digits, name.end(), is_hex);
  return is_job ? end : 0;
}

/// Removes the path at the end of the text.
void take_back_path(std::string& from) {
  from.resize(from.find_last_of(" \"'=(,") + 1);
}

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit)
                                  - text.begin());
}

/// The length of "/attempt_1_2" at the beginning of the text; 0: it begins otherwise.
std::size_t length_of_attempt(std::string_view text) {
  constexpr std::string_view attempt = "/attempt_";
  if (!text.starts_with(attempt))
    return 0;
  const auto epoch = digits_at(text.substr(attempt.size()));
  const auto bar = attempt.size() + epoch;
  const auto number = bar < text.size() && text[bar] == '_' ? digits_at(text.substr(bar + 1)) : 0;
  return epoch > 0 && number > 0 ? bar + 1 + number : 0;
}

/// The length of "trials/00013" or "trials/00013/attempt_1_2" at the beginning of the text: the
/// directory of a trial or an attempt; 0: it begins otherwise.
std::size_t length_of_trial(std::string_view text) {
  constexpr std::string_view trials = "trials/";
  constexpr std::size_t fewest_digits = 5;
  if (!text.starts_with(trials))
    return 0;
  const auto digits = digits_at(text.substr(trials.size()));
  const auto end = trials.size() + digits;
  return digits < fewest_digits ? 0 : end + length_of_attempt(text.substr(end));
}

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Whether a number after `before` says where or how it failed, rather than with which values.
bool is_place(std::string_view before) {
  static constexpr std::array<std::string_view, 7> words{"line ",  "status ", "signal ", "code ",
                                                         "errno ", "Errno ",  "SIGUSR"};
  // True for "train.py:12", not for "loss: 12".
  auto in_file = before.size() > 1 && before.back() == ':' && is_word(before[before.size() - 2]);
  return in_file || std::any_of(words.begin(), words.end(), [&](std::string_view x) {
           return before.ends_with(x);
         });
}

/// The length of the number at the beginning of `text`, with its exponent and unit; in a name
/// ("conv1_weight") only of its digits. [text begins with a digit]
std::size_t length_of_number(std::string_view text, bool in_name) {
  if (in_name)
    return digits_at(text);
  std::size_t end = 1;
  auto is_exponent = [&] {
    return (text[end] == '-' || text[end] == '+') && (text[end - 1] == 'e' || text[end - 1] == 'E');
  };
  while (end < text.size() && (is_word(text[end]) || text[end] == '.' || is_exponent()))
    ++end;
  return text[end - 1] == '.' ? end - 1 : end;
}

std::string without_numbers(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto in_name = i > 0 && is_word(text[i - 1]);
    const auto length = is_digit(text[i]) ? length_of_number(text.substr(i), in_name) : 1;
    const auto is_value = is_digit(text[i]) && !is_place(text.substr(0, i));
    if (is_value && result.ends_with('-'))
      result.pop_back();
    result += is_value ? "#" : std::string{text.substr(i, length)};
    i += length;
  }
  return result;
}

} // namespace

std::string without_names(std::string_view line) {
  std::string result;
  while (!line.empty()) {
    if (line.starts_with("0x") && line.size() > 2 && is_hex(line[2])) {
      result += "0x...";
      line.remove_prefix(2);
      while (!line.empty() && is_hex(line[0]))
        line.remove_prefix(1);
    } else if (const auto job = length_of_job(line)) {
      take_back_path(result);
      result += "...";
      line.remove_prefix(job);
    } else if (const auto trial = length_of_trial(line)) {
      result += "trials/...";
      line.remove_prefix(trial);
    } else {
      result += line[0];
      line.remove_prefix(1);
    }
  }
  return result;
}

std::string failure_form(std::string_view line) {
  return without_numbers(without_names(line));
}

} // namespace tune
