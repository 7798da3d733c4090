// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/template_file.hpp"

#include "tune/io/spec/words.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view arrow = "->";
/// Limit of file systems on names, less the suffix used while a file is being written.
constexpr std::size_t longest_name = 240;

/// Whether the runtime uses this name in a trial's directory; see docs/trial_files.md.
bool is_taken(const std::string& first) {
  static constexpr std::array<std::string_view, 6> names{
      "params.json", "result.jsonl", "progress.csv", "error.txt", "stdout", "stderr"};
  return std::find(names.begin(), names.end(), first) != names.end()
         || first.starts_with(".params.json") || first.starts_with("attempt_")
         || first.starts_with("stdout.") || first.starts_with("stderr.")
         || first.starts_with(".tune_");
}

/// Why a file cannot be written there; empty if it can.
std::string why_no_target(const fs::path& to) {
  if (to.is_absolute() || to == "." || !to.has_filename() || *to.begin() == "..")
    return "\"" + to.string() + "\" must be a file in the trial's directory";
  auto is_too_long = [](const fs::path& part) { return part.native().size() > longest_name; };
  if (std::any_of(to.begin(), to.end(), is_too_long))
    return "\"" + to.string().substr(0, 40) + "…\": a name in it has more than "
           + std::to_string(longest_name) + " bytes";
  if (is_taken(to.begin()->string()))
    return "\"" + to.string() + "\" is a name of the runtime in the trial's directory";
  return {};
}

} // namespace

expected<std::vector<template_pair>> parse_template_pairs(std::string_view text) {
  auto words = split_words(text, " \t,");
  if (!words)
    return words.error();
  std::vector<template_pair> result;
  for (std::size_t i = 0; i < words->size(); i += 3) {
    if (i + 2 >= words->size() || (*words)[i + 1].text != arrow)
      return error{ec::bad_syntax, "must be a list such as model.toml.in -> model.toml, b.in -> b"};
    const auto& from = (*words)[i].text;
    const auto to = fs::path{(*words)[i + 2].text}.lexically_normal();
    if (from.empty())
      return error{ec::bad_syntax, "the name of a template is empty"};
    if (auto why = why_no_target(to); !why.empty())
      return error{ec::bad_option, why};
    auto same = [&](const template_pair& x) { return x.to == to.string(); };
    if (std::any_of(result.begin(), result.end(), same))
      return error{ec::bad_option, "\"" + to.string() + "\" is written twice"};
    result.push_back({from, to.string()});
  }
  return result;
}

std::string template_pairs_text(const std::vector<template_pair>& pairs) {
  std::string result;
  for (const auto& x : pairs)
    result += (result.empty() ? "" : ", ") + quoted_word(x.from) + " -> " + quoted_word(x.to);
  return result;
}

expected<template_file> template_file::load(const fs::path& from, std::string to,
                                            const std::vector<std::string>& known) {
  struct stat facts {};
  if (::stat(from.c_str(), &facts) != 0)
    return error{ec::unreadable, "\"" + from.string() + "\" does not exist"};
  if (!S_ISREG(facts.st_mode))
    return error{ec::bad_option, "\"" + from.string() + "\" is no regular file"};
  if (static_cast<std::uint64_t>(facts.st_size) > most_bytes)
    return error{ec::bad_option, "\"" + from.string() + "\" has " + std::to_string(facts.st_size)
                                     + " bytes; at most " + std::to_string(most_bytes)
                                     + " are read"};
  std::ifstream file{from, std::ios::binary};
  std::stringstream content;
  if (!file || !(facts.st_size == 0 || content << file.rdbuf()))
    return error{ec::unreadable, "\"" + from.string() + "\" cannot be read"};
  template_file result;
  result.to_ = std::move(to);
  result.is_program_ = (facts.st_mode & S_IXUSR) != 0;
  const auto text = content.str();
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    auto line = text_template::parse(std::string_view{text}.substr(begin, end - begin), known);
    if (!line)
      return error{line.error().code, from.string() + ":" + std::to_string(result.lines_.size() + 1)
                                          + ": " + line.error().detail};
    result.lines_.push_back(std::move(*line));
    begin = end;
  }
  return result;
}

expected<std::string> template_file::render(const object& config,
                                            const command_builtins& builtins) const {
  std::size_t size = 0;
  for (const auto& line : lines_) {
    size += line.size(config, builtins);
    if (size > most_made_bytes)
      return error{ec::refused, "template: \"" + to_ + "\" would have more than "
                                    + std::to_string(most_made_bytes)
                                    + " bytes with the values of this trial"};
  }
  std::string result;
  result.reserve(size);
  for (const auto& line : lines_)
    result += line.render(config, builtins).value_or("");
  return result;
}

} // namespace tune
