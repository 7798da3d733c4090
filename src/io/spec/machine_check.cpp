// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/machine_check.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/keys.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

config_fault fault_at(const loaded_spec& x, const char* section, const char* key,
                      std::string message) {
  auto origin = x.origins.find(std::string{section} + "." + key);
  return {origin == x.origins.end() ? config_origin{} : origin->second, section, key,
          std::move(message)};
}

/// Marks values known only in a trial; no name has this character.
constexpr const char* unknown = "\x01";

command_builtins known_builtins(const loaded_spec& x) {
  return {unknown, x.what.ini_dir, unknown, unknown};
}

object unknown_parameters(const loaded_spec& x) {
  object result;
  for (const auto& name : parameter_names(*x.space))
    result.set(name, unknown);
  return result;
}

/// A text of `env.` as seen by a trial.
std::string filled(const loaded_spec& x, const std::string& text) {
  auto parsed = text_template::parse(text, parameter_names(*x.space));
  return parsed ? parsed->render(unknown_parameters(x), known_builtins(x)).value_or("") : text;
}

/// The PATH in which trials look for programs.
std::string path_of_trials(const loaded_spec& x,
                           const std::map<std::string, std::string>& environment) {
  const auto& own = x.what.trainable.env;
  auto is_path = [](const named_text& each) { return each.name == "PATH"; };
  if (auto i = std::find_if(own.begin(), own.end(), is_path); i != own.end())
    return filled(x, i->text);
  auto i = environment.find("PATH");
  return i == environment.end() ? "/usr/local/bin:/usr/bin:/bin" : i->second;
}

/// The program's name if it is the same for all trials and has no directory; else empty.
std::string bare_program(const loaded_spec& x) {
  auto command = command_of(x.what, *x.space);
  if (!command)
    return {};
  auto words = command->render(unknown_parameters(x), known_builtins(x));
  auto is_bare = !words.empty() && words.front().find_first_of("/\x01") == std::string::npos;
  return is_bare ? words.front() : std::string{};
}

std::vector<fs::path> directories_of(std::string_view path) {
  std::vector<fs::path> result;
  for (;;) {
    auto end = path.find(':');
    result.emplace_back(path.substr(0, end));
    if (end == path.npos)
      return result;
    path.remove_prefix(end + 1);
  }
}

bool can_be_run(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

bool stands_in(const std::vector<fs::path>& path, const std::string& program) {
  return std::any_of(path.begin(), path.end(),
                     [&](const fs::path& directory) { return can_be_run(directory / program); });
}

/// The program most similar to a mistyped name; empty if none is similar.
std::string nearest_program(const std::vector<fs::path>& path, const std::string& wrong) {
  // More than any usual PATH has; limits the time spent on a hint.
  constexpr std::size_t most_names = 20'000;
  std::size_t seen = 0;
  std::vector<std::string> names;
  for (const auto& directory : path) {
    std::error_code why;
    for (fs::directory_iterator i{directory, why}; !why && i != fs::end(i) && seen++ < most_names;
         i.increment(why)) {
      if (can_be_run(i->path()))
        names.push_back(i->path().filename().string());
    }
  }
  // Sorted to be independent of the order in the file system.
  std::sort(names.begin(), names.end());
  return nearest_name(wrong, names);
}

std::string missing_text(const loaded_spec& x, const std::vector<fs::path>& path,
                         const std::string& program) {
  const auto& own = x.what.trainable.env;
  const auto is_own = std::any_of(own.begin(), own.end(),
                                  [](const named_text& each) { return each.name == "PATH"; });
  const auto near = nearest_program(path, program);
  return "command: there is no program \"" + program + "\" in PATH"
         + (is_own ? ", as env.PATH sets it" : "")
         + (near.empty() ? "" : "; did you mean \"" + near + "\"?");
}

} // namespace

std::optional<config_fault> missing_program(const loaded_spec& x,
                                            const std::map<std::string, std::string>& environment) {
  if (x.what.trainable.kind != trainable_kind::command || !x.space)
    return std::nullopt;
  auto program = bare_program(x);
  auto text = path_of_trials(x, environment);
  if (program.empty() || text.find(unknown) != text.npos)
    return std::nullopt;
  const auto path = directories_of(text);
  if (stands_in(path, program))
    return std::nullopt;
  return fault_at(x, "trainable", "command", missing_text(x, path, program));
}

std::optional<config_fault> unenforced_memory(const loaded_spec& x,
                                              const std::function<bool()>& can_limit) {
  const auto& of = x.what.trainable;
  auto memory = x.what.resources.memory;
  if (memory == 0 || !x.what.cluster.local || !of.kind || *of.kind == trainable_kind::table)
    return std::nullopt;
  auto is_thread = *of.kind != trainable_kind::command && of.isolation == isolation_kind::thread;
  if (!is_thread && can_limit())
    return std::nullopt;
  auto text = find_key("resources", "memory")->write(x.what);
  return fault_at(x, "resources", "memory",
                  "memory = " + text + ": only counted, not enforced on this machine: "
                      + (is_thread ? "threads share their memory"
                                   : "no control group can be made that limits memory; "
                                     "that takes one, this process's or one above it, below which "
                                     "this user may make others with a memory controller"));
}

} // namespace tune
