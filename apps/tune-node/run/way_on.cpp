// SPDX-License-Identifier: BSD-3-Clause
#include "run/way_on.hpp"

#include "head/submitter.hpp"
#include "inspect/experiment_directory.hpp"

#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"
#include "tune/tuner/recorded_spec.hpp"

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// An absolute path, since the command may be entered elsewhere.
fs::path whole(const fs::path& directory) {
  auto result = fs::absolute(directory).lexically_normal();
  return result.filename().empty() ? result.parent_path() : result;
}

trial_place place_of(const spec& what) {
  return what.cluster.listen.empty() ? trial_place::here : trial_place::anywhere;
}

/// Why `resume` is not possible, with the cause of the loss if it is known.
std::string cause_of(const missing_files& x) {
  auto work = work_directory_around(x.ini_dir);
  return to_text(x)
         + (work.empty() ? ""
                         : "; it was laid in the work directory of a head, " + work.string()
                               + ", for as long as the experiment ran there");
}

/// Whether the experiment was submitted over HTTP: then no certificate owns it, and a head goes on
/// with it for nobody but those who ask over HTTP.
bool came_over_http(const fs::path& directory) {
  auto submitter = read_submitter(directory);
  return submitter && *submitter && (*submitter)->empty();
}

} // namespace

way_on way_on_from(const fs::path& directory, const missing_files& missing) {
  const auto place = whole(directory);
  const auto name = " --experiment.name " + shell_word(place.filename().string());
  if (!words_to_head().empty())
    return {program_call("run FILE ") + words_to_head() + name + " --resume", false,
            ", entered where it was submitted: FILE is its INI file, and the options of its first"
            " run belong to it"};
  if (missing.empty())
    return {program_call("resume") + " " + shell_word(directory.string())};
  if (!work_directory_around(missing.ini_dir).empty() && !came_over_http(directory))
    return {program_call("run FILE --head HOST:PORT") + name + " --resume", false,
            ", entered where it was submitted: FILE is its INI file, HOST:PORT a head with this"
            " storage, and the options of its first run belong to it"};
  return {
      program_call("run FILE") + name + " --experiment.storage "
          + shell_word(place.parent_path().string()) + " --resume",
      false,
      ": FILE is its INI file, where the files of its trials are now, and the options of its first"
      " run belong to it"};
}

way_on way_on_in(const fs::path& directory) {
  auto what = recorded_spec(directory);
  if (what && is_asked(*what))
    return {executor_line(directory), false,
            ": FILE is its INI file, and a program of yours runs its trials"};
  return way_on_from(directory,
                     what ? find_missing(*what, *what, place_of(*what)) : missing_files{});
}

std::string executor_line(const fs::path& directory) {
  auto result = program_call("ask-tell FILE --resume");
  if (directory.empty())
    return result;
  const auto place = whole(directory);
  return result + " --experiment.name " + shell_word(place.filename().string())
         + " --experiment.storage " + shell_word(place.parent_path().string());
}

std::string with_mode(const way_on& x, std::string_view mode) {
  return x.command + (x.is_resume ? " --mode " : "=") + std::string{mode};
}

expected<void> has_files_to_go_on(const fs::path& directory, const spec& now, bool by_record) {
  auto missing = find_missing_in(directory, now, place_of(now));
  if (missing.empty())
    return {};
  auto text = directory.string() + ": " + cause_of(missing) + "; ";
  if (!by_record)
    return error{ec::unreadable, text + "put back what is missing"};
  auto way = way_on_from(directory, missing);
  return error{ec::unreadable, text + "go on by " + way.command + way.note};
}

std::string files_option(const spec& what) {
  const auto& x = what.trainable;
  return x.kind == trainable_kind::table ? "--trainable.path FILE"
         : x.plugin.empty()              ? "--trainable.command COMMAND"
                                         : "--trainable.plugin FILE";
}

expected<void> has_files_to_rerun(const fs::path& directory, const spec& before, const spec& now) {
  auto missing = find_missing(before, now, trial_place::here);
  if (missing.empty())
    return {};
  return error{ec::unreadable, directory.string() + ": " + cause_of(missing)
                                   + "; name files of this machine by keys of [trainable], as in "
                                   + files_option(now)};
}

} // namespace tune::cli
