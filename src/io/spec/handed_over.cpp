// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/handed_over.hpp"

#include "tune/io/files/script_companions.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/template_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tune {

namespace {

/// Bytes read of a program's text, whose beginning shows what it uses.
constexpr std::size_t most_read = std::size_t{1024} * 1024;
/// Maximum number of imported files that are examined.
constexpr std::size_t most_companions = 200;

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool has_word(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_name(text[at - 1])) && (end == text.size() || !is_name(text[end])))
      return true;
  }
  return false;
}

std::string beginning_of(const std::filesystem::path& file, std::size_t most) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    return {};
  std::ifstream in{file, std::ios::binary};
  std::string result(most, '\0');
  in.read(result.data(), static_cast<std::streamsize>(most));
  result.resize(static_cast<std::size_t>(in.gcount()));
  return result;
}

bool reads_by_itself(const std::string& text) {
  constexpr std::array<const char*, 3> signs{"TUNE_TRIAL_PARAM", "tune_node", "params_file"};
  return std::any_of(signs.begin(), signs.end(),
                     [&](const char* sign) { return text.find(sign) != text.npos; });
}

/// Whether a script, or a module that it imports from its own directory, reads parameters by
/// itself.
bool script_reads_by_itself(const std::filesystem::path& script) {
  if (reads_by_itself(beginning_of(script, most_read)))
    return true;
  auto companions = companions_of(script);
  companions.resize(std::min(companions.size(), most_companions));
  return std::any_of(companions.begin(), companions.end(), [](const std::filesystem::path& file) {
    return reads_by_itself(beginning_of(file, most_read));
  });
}

/// The existing files beside the INI file that the command names.
std::vector<std::filesystem::path> programs_of(const spec& what, const search_space& space) {
  std::vector<std::filesystem::path> result;
  const auto command = command_of(what, space);
  for (const auto& file : command ? command->ini_paths() : std::vector<std::string>{}) {
    auto path = against_ini(what, file);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored))
      result.push_back(std::move(path));
  }
  return result;
}

/// All texts in which a parameter may be named.
std::string all_texts(const spec& what, const search_space& space) {
  auto result = what.trainable.command;
  for (const auto& each : what.trainable.env)
    result += '\n' + each.text;
  for (const auto& pair : what.trainable.templates)
    result += '\n' + beginning_of(against_ini(what, pair.from), template_file::most_bytes);
  for (const auto& each : space.parameters()) {
    if (each.active_if)
      result += '\n' + each.active_if->text();
  }
  return result;
}

} // namespace

handed_parameters parameters_handed_to(const spec& what, const search_space& space) {
  handed_parameters result;
  if (what.trainable.kind != trainable_kind::command)
    return result;
  const auto all = all_texts(what, space);
  for (const auto& x : space.parameters()) {
    if (!std::holds_alternative<constant>(x.what) && !x.numbers_runs)
      (has_word(all, x.name) ? result.named : result.unnamed).push_back(x.name);
  }
  if (result.unnamed.empty())
    return result;
  const auto programs = programs_of(what, space);
  if (reads_by_itself(all) || std::any_of(programs.begin(), programs.end(), script_reads_by_itself))
    return {};
  if (!programs.empty())
    result.looked_into = programs.front().filename().string();
  return result;
}

} // namespace tune
