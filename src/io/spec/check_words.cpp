// Checks for every command, whether a trial's or a searcher's.
// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"
#include "script_word.hpp"

#include "tune/io/spec/convert.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace tune {

namespace {

constexpr auto any_may_execute = std::filesystem::perms::owner_exec
                                 | std::filesystem::perms::group_exec
                                 | std::filesystem::perms::others_exec;

} // namespace

std::string why_no_program(const std::vector<std::string>& words) {
  if (words.empty() || words.front()[0] != '/')
    return {};
  std::filesystem::path program{words.front()};
  std::error_code failed;
  auto known = std::filesystem::status(program, failed);
  auto name = "\"" + program.string() + "\" ";
  if (!std::filesystem::exists(known))
    return name + "does not exist";
  if (std::filesystem::is_directory(known))
    return name + "is a directory, not a program";
  if ((known.permissions() & any_may_execute) == std::filesystem::perms::none)
    return name + "is no program: it may not be executed (chmod +x, or name its interpreter first)";
  return {};
}

namespace {

/// Whether the script may exist; true if it cannot be checked. Node adds extensions by itself.
bool is_script(const std::string& path) {
  constexpr std::array<const char*, 4> endings{"", ".js", ".cjs", ".mjs"};
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) {
    std::error_code failed;
    return std::filesystem::exists(path + ending, failed) || failed;
  });
}

} // namespace

std::string why_no_script(const std::vector<std::string>& words, const std::string& ini_dir) {
  const auto script = script_of(words);
  const auto is_beside = !ini_dir.empty() && script.starts_with(ini_dir + "/");
  if (!is_beside || script.find('\x01') != script.npos || is_script(script))
    return {};
  return "\"" + script + "\" does not exist";
}

void warn_of_bare_files(loading& x, const std::string& section,
                        const std::vector<std::string>& words) {
  const auto& files = x.what.trainable.files;
  const auto is_trial = section == "trainable";
  for (const auto& word : words) {
    auto shipped = is_trial && std::find(files.begin(), files.end(), word) != files.end();
    auto is_path = word.empty() || word[0] == '/' || word[0] == '-' || word.starts_with("./");
    std::error_code ignored;
    if (!shipped && !is_path
        && std::filesystem::is_regular_file(against_ini(x.what, word), ignored))
      x.warn(x.origin(section, "command"),
             "[" + section + "] command: \"" + word + "\" means a file in the "
                 + (is_trial ? "trial" : "experiment")
                 + "'s directory; for the one beside the INI file write ./" + word);
  }
}

} // namespace tune
