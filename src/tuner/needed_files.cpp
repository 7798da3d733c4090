// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/needed_files.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/tuner/recorded_spec.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// The id of a job ends in "-" and this many digits of a hash.
constexpr std::size_t name_hash_digits = 16;

bool is_of_the_system(const std::string& path) {
  constexpr std::array<std::string_view, 5> roots{"/usr/", "/bin/", "/sbin/", "/lib", "/proc/"};
  return std::any_of(roots.begin(), roots.end(),
                     [&](std::string_view root) { return path.starts_with(root); });
}

/// Words of a command that are absolute paths in every configuration.
std::vector<std::string> absolute_paths(const std::string& command) {
  std::vector<std::string> result;
  std::istringstream words{command};
  for (std::string word; words >> word;) {
    auto plain = word.find_first_of("{}[]'\"\\") == word.npos;
    if (plain && word.starts_with('/') && !is_of_the_system(word))
      result.push_back(word);
  }
  return result;
}

bool is_absolute(const std::string& name) {
  return fs::path{name}.is_absolute();
}

/// Whether the path exists; one that cannot be looked at is taken to exist.
bool is_there(const fs::path& path) {
  std::error_code failed;
  auto found = fs::status(path, failed);
  return fs::exists(found) || !fs::status_known(found);
}

/// The program's path if it is the same for all trials; else empty.
std::string placed_program(const spec& what, const search_space& space) {
  auto command = command_of(what, space);
  constexpr const char* unknown = "\x01";
  auto words = command ? command->render({}, {unknown, what.ini_dir, unknown, unknown})
                       : std::vector<std::string>{};
  // Any other path depends on the trial's directory.
  auto is_known = !words.empty() && words.front().find(unknown) == std::string::npos
                  && is_absolute(words.front());
  return is_known ? words.front() : std::string{};
}

/// Names for which a directory would not do: the program, and files that are read.
std::vector<std::string> needed_as_files(const spec& what, const search_space& space) {
  const auto& x = what.trainable;
  std::vector<std::string> result;
  if (x.kind == trainable_kind::command) {
    if (auto program = placed_program(what, space); !program.empty())
      result.push_back(std::move(program));
    for (const auto& pair : x.templates)
      result.push_back(pair.from);
  }
  if (x.kind == trainable_kind::table)
    result.push_back(x.path);
  if (!x.plugin.empty())
    result.push_back(x.plugin);
  return result;
}

/// Names that are needed even if they did not exist when the experiment began.
/// @param as_files those of `needed_as_files`.
std::vector<std::string> always_needed(const spec& what, std::vector<std::string> as_files) {
  for (const auto& name : what.trainable.files) {
    if (name.find_first_of("*?[\\") == name.npos)
      as_files.push_back(name);
  }
  return as_files;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Whether one of the names means this path.
bool is_among(const std::vector<std::string>& names, const fs::path& root, const fs::path& path) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& x) {
    return (root / x).lexically_normal() == path.lexically_normal();
  });
}

bool mentions_ini_dir(const trainable_section& x, const std::vector<std::string>& named) {
  constexpr std::string_view placeholder = "{ini_dir}";
  auto has = [&](const std::string& text) { return text.find(placeholder) != text.npos; };
  return has(x.command) || !std::all_of(named.begin(), named.end(), is_absolute)
         || std::any_of(x.env.begin(), x.env.end(),
                        [&](const named_text& each) { return has(each.text); });
}

bool ends_in_hash(const std::string& name) {
  const auto from = name.size() > name_hash_digits ? name.size() - name_hash_digits : 0;
  return from > 1 && name[from - 1] == '-'
         && name.find_first_not_of("0123456789abcdef", from) == name.npos;
}

/// Whether the name is among the missing ones, in any spelling.
bool knows(const missing_files& all, const std::string& name) {
  return is_among(all.names, all.ini_dir, all.ini_dir / name);
}

bool is_within(const fs::path& file, const fs::path& directory) {
  const auto way = file.lexically_relative(directory);
  return !way.empty() && *way.begin() != "..";
}

/// The missing files among those of the record, and the names that stand for none of them.
std::size_t count_missing(const missing_files& x, const std::vector<named_text>& recorded,
                          trial_place where, const std::function<bool(const std::string&)>& found) {
  std::set<fs::path> gone;
  for (const auto& file : recorded) {
    const auto counts = where == trial_place::here || !is_absolute(file.name);
    if (counts && !found(file.name))
      gone.insert((x.ini_dir / file.name).lexically_normal());
  }
  auto result = gone.size();
  for (const auto& name : x.names) {
    const auto path = (x.ini_dir / name).lexically_normal();
    if (std::none_of(gone.begin(), gone.end(),
                     [&](const fs::path& file) { return is_within(file, path); }))
      ++result;
  }
  return result;
}

} // namespace

std::vector<std::string> files_named(const spec& what, const search_space& space) {
  if (what.trainable.kind != trainable_kind::command)
    return {};
  auto command = command_of(what, space);
  if (!command)
    return {};
  auto result = command->ini_paths();
  for (auto& path : absolute_paths(what.trainable.command))
    result.push_back(std::move(path));
  return result;
}

std::vector<std::string> names_missing(const std::vector<named_text>& recorded,
                                       const std::vector<std::string>& named,
                                       const std::function<bool(const std::string&)>& is_there) {
  std::vector<std::string> result;
  for (const auto& name : named) {
    auto was_there = std::any_of(recorded.begin(), recorded.end(),
                                 [&](const named_text& x) { return x.name == name; });
    auto is_known = std::find(result.begin(), result.end(), name) != result.end();
    if (was_there && !is_known && !is_there(name))
      result.push_back(name);
  }
  return result;
}

fs::path work_directory_around(const fs::path& ini_dir) {
  // The INI file may have been in a directory further down.
  for (auto path = ini_dir.lexically_normal(); path.has_relative_path();
       path = path.parent_path()) {
    auto job = path.parent_path();
    if (path.filename() == "files" && ends_in_hash(job.filename().string())
        && job.parent_path().filename() == "jobs")
      return job.parent_path().parent_path();
  }
  return {};
}

missing_files find_missing(const spec& before, const spec& now, trial_place where) {
  missing_files result{now.ini_dir, {}};
  auto space = search_space::parse(space_lines(now));
  auto named = space ? files_named(now, *space) : std::vector<std::string>{};
  if (where == trial_place::anywhere)
    std::erase_if(named, is_absolute);
  const auto as_files = space ? needed_as_files(now, *space) : std::vector<std::string>{};
  auto found = [&](const std::string& name) {
    const auto path = result.ini_dir / name;
    return is_there(path) && !(is_folder(path) && is_among(as_files, result.ini_dir, path));
  };
  result.names = names_missing(before.code, named, found);
  for (auto& name : space ? always_needed(now, as_files) : std::vector<std::string>{}) {
    auto counts = where == trial_place::here || !is_absolute(name);
    if (counts && !knows(result, name) && !found(name))
      result.names.push_back(std::move(name));
  }
  if (!result.empty())
    result.files = count_missing(result, before.code, where, found);
  result.is_directory = !result.empty() && is_folder(result.ini_dir / result.names.front());
  if (result.empty() && mentions_ini_dir(now.trainable, named) && !is_there(result.ini_dir))
    result.names.push_back(now.ini_dir);
  return result;
}

missing_files find_missing_in(const fs::path& directory, const spec& now, trial_place where) {
  auto before = recorded_spec(directory);
  // If it cannot be read, opening it will say why.
  return before ? find_missing(*before, now, where) : missing_files{};
}

std::string to_text(const missing_files& x) {
  auto first = (x.ini_dir / x.names.front()).lexically_normal().string();
  auto more = std::max(x.files, x.names.size()) - 1;
  if (more == 0 && x.is_directory)
    return first + ", which its trials need as a file, is a directory";
  if (more == 0)
    return first + ", which its trials need, is not there any more";
  return first + " and " + std::to_string(more) + " more file" + (more > 1 ? "s" : "")
         + ", which its trials need, are not there any more";
}

} // namespace tune
