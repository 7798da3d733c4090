/// Metrics that a program writes into JSON files: `metric.acc = file:result.json:/test/acc`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

/// The location of one metric.
struct file_metric {
  std::string metric;
  /// Relative to the trial's directory, normalised, without "..".
  std::string path;
  /// A JSON pointer, as RFC 6901 has it: "/test/acc", "/folds/0", "/a~1b".
  std::string pointer;

  friend bool operator==(const file_metric&, const file_metric&) = default;
};

/// Whether the text of a `metric.<name>` key means a file: it begins with "file:" and is not an
/// expression with a group.
[[nodiscard]] bool means_file(std::string_view text);

/// Reads "file:PATH:/POINTER".
/// @errors `ec::bad_syntax`: no pointer; `ec::bad_option`: a path that is absolute or leads out of
///         the trial's directory. The detail says what is legal.
[[nodiscard]] expected<file_metric> parse_file_metric(std::string metric, std::string_view text);

/// The value that a pointer names; null if there is none.
[[nodiscard]] const value* find_pointer(const value& in, std::string_view pointer);

/// Reads those files of one attempt that have changed. A file has at most 16 MiB; symbolic links
/// are not followed, and only regular files are read.
class metric_files {
public:
  explicit metric_files(std::vector<file_metric> which) : which_{std::move(which)} {}

  /// Sets the trial's directory. Files that exist there now are old and are not read.
  void begin_in(const std::filesystem::path& directory);

  /// Values from files that are new or changed since the last call, in the order of the metrics.
  /// There is no value for a file that cannot be read or a pointer that names nothing; see
  /// `missing`.
  [[nodiscard]] std::vector<std::pair<std::string, value>> changed();

  /// Why metrics never appeared, one clause for each; empty if all appeared.
  [[nodiscard]] std::string missing() const;
  /// The reasons by the metric's name.
  [[nodiscard]] const std::map<std::string, std::string>& never_came() const { return missing_; }

  /// Why files cannot be read as they are since the last call of `changed`, though their metrics
  /// had values before: by path. Each fault is told once.
  [[nodiscard]] std::map<std::string, std::string> take_spoilt();

private:
  /// Identifies a version of a file's content.
  struct stamp {
    std::uint64_t inode = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    std::int64_t size = 0;
    friend bool operator==(const stamp&, const stamp&) = default;
  };

  std::vector<file_metric> which_;
  std::filesystem::path directory_;
  /// By path; empty if the file did not exist.
  std::map<std::string, std::optional<stamp>> begun_;
  std::map<std::string, std::optional<stamp>> seen_;
  std::map<std::string, value> last_;
  /// Why a metric has not appeared yet, by its name.
  std::map<std::string, std::string> missing_;
  /// Faults of files by path, as of the last call of `changed`, and those that were told.
  std::map<std::string, std::string> spoilt_;
  std::set<std::pair<std::string, std::string>> told_;

  [[nodiscard]] std::optional<stamp> stamp_of(const std::string& path) const;
  [[nodiscard]] expected<value> content_of(const std::string& path) const;
};

} // namespace tune
