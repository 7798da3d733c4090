// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <utility>

namespace tune::bench {

namespace {

bool is_option(const std::string& x) {
  return x.starts_with("--") && x.size() > 2;
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> result;
  std::istringstream in{list};
  for (std::string part; std::getline(in, part, ',');)
    result.push_back(part);
  return result;
}

/// The usage as printed: "usage: tune_x_bench A", and every further form on a line below.
std::string shown(const std::string& program, const std::string& usage) {
  std::istringstream in{usage};
  std::string result;
  for (std::string line; std::getline(in, line);)
    result += (result.empty() ? "usage: " : "       ") + program + (line.empty() ? "" : " ") + line
              + '\n';
  return result.empty() ? "usage: " + program + '\n' : result;
}

/// Reads the whole text as a number. @returns whether it is one.
template <class T>
bool is_number(const std::string& text, T& to) {
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), to);
  return failed == std::errc{} && end == text.data() + text.size();
}

} // namespace

arguments::arguments(int count, char** words, std::string usage)
    : program_{std::filesystem::path{words[0]}.filename().string()}
    , usage_{std::move(usage)}
    , left_{words + 1, words + count} {
  auto asks = [](const std::string& x) { return x == "--help" || x == "-h"; };
  if (std::any_of(left_.begin(), left_.end(), asks)) {
    std::cout << shown(program_, usage_);
    std::exit(0);
  }
}

void arguments::refuse(const std::string& why) const {
  std::cerr << program_ << ": " << why << '\n' << shown(program_, usage_);
  std::exit(2);
}

bool arguments::flag(const std::string& name) {
  return std::erase(left_, name) > 0;
}

void arguments::read(const std::string& name, std::string& to) {
  for (auto i = left_.begin(); i != left_.end(); ++i) {
    if (i->starts_with(name + "=")) {
      to = i->substr(name.size() + 1);
      left_.erase(i);
      return read(name, to);
    }
    if (*i == name) {
      if (i + 1 == left_.end() || is_option(i[1]) || i[1].empty())
        refuse(name + " needs a value");
      to = i[1];
      left_.erase(i, i + 2);
      return read(name, to);
    }
  }
}

void arguments::read(const std::string& name, std::vector<std::string>& to) {
  std::string text;
  read(name, text);
  if (!text.empty())
    to = parts_of(text);
}

void arguments::read(const std::string& name, std::vector<std::size_t>& to) {
  std::vector<std::string> texts;
  read(name, texts);
  if (!texts.empty())
    to.clear();
  for (const auto& x : texts)
    to.push_back(whole(x, name, 1));
}

void arguments::read(const std::string& name, double& to) {
  std::string text;
  read(name, text);
  if (!text.empty() && !is_number(text, to))
    refuse(name + ": not a number: " + text);
}

std::string arguments::word(std::string otherwise) {
  auto i = std::find_if_not(left_.begin(), left_.end(), is_option);
  if (i == left_.end())
    return otherwise;
  auto result = *i;
  left_.erase(i);
  return result;
}

std::uint64_t arguments::number(std::uint64_t otherwise, std::uint64_t least) {
  return has_word() ? whole(word({}), "", least) : otherwise;
}

std::vector<std::string> arguments::words() {
  std::vector<std::string> result;
  while (has_word())
    result.push_back(word({}));
  return result;
}

bool arguments::has_word() const {
  return !std::all_of(left_.begin(), left_.end(), is_option);
}

std::uint64_t arguments::whole(const std::string& text, const std::string& name,
                               std::uint64_t least) const {
  std::uint64_t result = 0;
  if (!is_number(text, result) || result < least)
    refuse((name.empty() ? "" : name + ": ") + "not a whole number from " + std::to_string(least)
           + ": " + text);
  return result;
}

void arguments::finish() const {
  if (!left_.empty())
    refuse((is_option(left_.front()) ? "unknown option " : "one too many: ") + left_.front());
}

} // namespace tune::bench
