// SPDX-License-Identifier: BSD-3-Clause
#include "run/whole_output.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace tune::cli {

namespace {

/// Part at the end of a file that is searched: the last quoted line is near the end. [bytes]
constexpr std::size_t looked_through = 64 * 1024;
/// Part of a line that is compared: long lines are quoted in part. [bytes]
constexpr std::size_t compared = 80;

/// The end of a trial's file; empty: there is none, or it cannot be read.
std::string end_of(const guarded_directory& where, const std::string& name) {
  if (!where.has_file(name))
    return {};
  const auto file = where.read(name);
  struct stat about {};
  if (!file || ::fstat(file->number(), &about) != 0 || about.st_size <= 0)
    return {};
  std::string result(std::min(looked_through, static_cast<std::size_t>(about.st_size)), '\0');
  const auto from = about.st_size - static_cast<::off_t>(result.size());
  const auto count = ::pread(file->number(), result.data(), result.size(), from);
  result.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return result;
}

/// The last non-blank line, or its beginning, without the blanks around it.
std::string_view last_line(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto end = text.find_last_not_of(blanks);
  if (end == text.npos)
    return {};
  text = text.substr(0, end + 1);
  text.remove_prefix(text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1);
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, compared);
}

} // namespace

std::string whole_output_command(const std::filesystem::path& directory, trial_id trial,
                                 std::string_view quoted) {
  const auto line = last_line(quoted);
  const auto where = guarded_directory::open(trials_directory(directory), to_text(trial));
  if (line.empty() || !where)
    return {};
  const auto command
      = program_call("logs") + " " + experiment_words(directory.string()) + " " + to_text(trial);
  if (end_of(*where, "stderr").find(line) != std::string::npos)
    return command + " --stderr";
  return end_of(*where, "stdout").find(line) != std::string::npos ? command : std::string{};
}

} // namespace tune::cli
