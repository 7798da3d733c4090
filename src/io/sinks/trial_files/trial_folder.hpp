/// The files of one trial.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "result_text.hpp"

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Events for one trial from a part of the log.
struct trial_news {
  std::vector<std::shared_ptr<const report>> reports;
  /// Ends of failed attempts.
  std::vector<on::ended> failures;
};

/// Writes the files below `trials/<trial>/`. Used for one part of the log; opens one file at a
/// time.
class trial_folder {
public:
  /// @param trials The directory of all trials.
  /// @param before The files already contain the log up to this event.
  trial_folder(std::filesystem::path trials, trial_id trial, sequence before, store_reader& from);

  /// Adds the news. @param check If set, files may hold more or less than they should, as after a
  /// crash: compares them with the log and rewrites those that differ.
  /// @errors `ec::refused` if something in the folder is in the way, which affects no other trial;
  ///         `ec::storage`.
  [[nodiscard]] expected<void> write(const trial_news& news, bool check);
  /// Checks that the files contain everything in the log up to `before`, and rewrites those that do
  /// not.
  /// @errors as `write`.
  [[nodiscard]] expected<void> mend();
  /// Whether a failure in the folder affects no other trial: the folder is read-only or something
  /// is mounted in it, and neither is true for the directory of all trials.
  [[nodiscard]] bool is_set_apart() const;
  /// Messages about things that were in the place of the trial's files and were replaced.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

private:
  std::filesystem::path trials_;
  trial_id trial_;
  sequence before_;
  store_reader& from_;
  /// Node of each attempt, filled on demand.
  std::map<attempt_id, std::string> nodes_;
  /// The trial's directory.
  std::optional<guarded_directory> where_;
  std::vector<std::string> notes_;

  expected<void> enter();
  void note(const std::string& name, const std::string& replaced);
  expected<void> append(const std::string& name, std::string_view text);
  expected<void> write_parameters(bool check);
  expected<void> write_results(const trial_news& news, bool check);
  expected<void> write_failures(const std::vector<on::ended>& failures, bool check);
  /// Headings of the attempts in the file, which is rewritten if it is torn.
  expected<std::set<std::string>> written_failures();
  expected<void> rewrite_failures();

  /// Whether there are results up to `before_`, or files for them.
  expected<bool> has_results();
  /// Rewrites the results up to `before_` if the files differ from the log.
  /// @param odd Set if the files are known to differ.
  expected<void> make_whole(bool odd);
  expected<bool> is_as_expected(std::uint64_t count);
  /// Columns of the existing table; the automatic ones if there is none.
  expected<result_columns> columns();
  /// Rewrites a file from the log of the trial up to `before_`.
  expected<void> rewrite_lines();
  expected<void> rewrite_table(const result_columns& columns);
  /// Calls `see(row)` for all results up to `before_`, in parts.
  template <class F>
  expected<void> for_earlier(F see);
  expected<std::string> node_of(attempt_id attempt);
};

} // namespace tune
