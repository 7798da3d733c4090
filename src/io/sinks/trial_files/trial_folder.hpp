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

/// What a part of the log holds for one trial.
struct trial_news {
  std::vector<std::shared_ptr<const report>> reports;
  /// Attempts that failed.
  std::vector<on::ended> failures;
};

/// Writes below `trials/<trial>/`. Lives for one part of the log; opens a file at a time.
class trial_folder {
public:
  /// @param trials The directory of all trials.
  /// @param before The log up to here is in the files already.
  trial_folder(std::filesystem::path trials, trial_id trial, sequence before, store_reader& from);

  /// Adds the news. @param check Files may hold more or less than they should, as after a crash:
  /// looks, and writes anew where they do.
  /// @errors `ec::refused` where something in the folder is in the way, which concerns no other
  ///         trial; `ec::storage`.
  [[nodiscard]] expected<void> write(const trial_news& news, bool check);
  /// Looks whether all that the log holds up to `before` is in the files, and writes anew what is
  /// not.
  /// @errors as `write`.
  [[nodiscard]] expected<void> mend();
  /// Whether what went wrong in the folder concerns no other trial: it is read-only, or something
  /// is mounted there, and the directory of all trials is neither.
  [[nodiscard]] bool is_set_apart() const;
  /// What lay in the place of its files and was replaced.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

private:
  std::filesystem::path trials_;
  trial_id trial_;
  sequence before_;
  store_reader& from_;
  /// Node of each attempt, as far as needed.
  std::map<attempt_id, std::string> nodes_;
  /// The trial's own.
  std::optional<guarded_directory> where_;
  std::vector<std::string> notes_;

  expected<void> enter();
  void note(const std::string& name, const std::string& replaced);
  expected<void> append(const std::string& name, std::string_view text);
  expected<void> write_parameters(bool check);
  expected<void> write_results(const trial_news& news, bool check);
  expected<void> write_failures(const std::vector<on::ended>& failures, bool check);
  /// Headings of the attempts that are in the file, which is written anew where it is torn.
  expected<std::set<std::string>> written_failures();
  expected<void> rewrite_failures();

  /// Whether there are any up to `before_`, or files that should hold them.
  expected<bool> has_results();
  /// Writes the results up to `before_` anew where they are not as they should be.
  /// @param odd They cannot be.
  expected<void> make_whole(bool odd);
  expected<bool> is_as_expected(std::uint64_t count);
  /// Columns of the table as it lies there; the automatic ones where there is none.
  expected<result_columns> columns();
  /// Writes what the log held for the trial up to `before_`.
  expected<void> rewrite_lines();
  expected<void> rewrite_table(const result_columns& columns);
  /// Calls `see(row)` for all results up to `before_`, in parts.
  template <class F>
  expected<void> for_earlier(F see);
  expected<std::string> node_of(attempt_id attempt);
};

} // namespace tune
