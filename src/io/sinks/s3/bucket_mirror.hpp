/// Keeps a copy of an experiment in a bucket. Private to the sink.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/io/object_store/object_store.hpp"
#include "tune/io/store/rows.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// Names of the notes of the record's object.
inline constexpr const char* record_hash_note = "sha256";
inline constexpr const char* record_identity_note = "tune-experiment";

/// Keys are paths relative to the experiment's directory. The record goes last, so that what it
/// names is there for whoever reads it; what it names no more is removed after that.
class bucket_mirror {
public:
  /// @param directory The experiment's. @param notice Takes notices for people; may be empty.
  bucket_mirror(std::filesystem::path directory, std::string identity, object_store to,
                std::function<void(const std::string&)> notice);

  /// Brings the bucket up to what the record says now: checkpoints that can be restored, the files
  /// of trials that have ended, the record.
  /// @param is_over Whether the experiment has ended: files of trials are compared once more.
  /// @errors as `object_store`; `ec::refused` if another experiment is there.
  [[nodiscard]] expected<void> update(bool is_over);

private:
  /// What a copy of the record says.
  struct record_view {
    std::vector<checkpoint_row> checkpoints;
    std::vector<trial_row> ended;
  };

  std::filesystem::path directory_;
  std::string identity_;
  object_store to_;
  std::function<void(const std::string&)> notice_;
  /// Objects that are there, once they were listed.
  std::optional<std::map<std::string, listed_object>> known_;
  /// Trials whose files are there, as of that end.
  std::map<trial_id, instant> stored_trials_;
  /// What was told already.
  std::set<std::string> told_;

  [[nodiscard]] std::filesystem::path room() const;
  [[nodiscard]] expected<void> meet();
  [[nodiscard]] expected<record_view> copy() const;
  /// @returns whether all were there to be stored.
  [[nodiscard]] expected<bool> store_checkpoints(const record_view& what);
  /// @returns false if it is not there any more.
  [[nodiscard]] expected<bool> store_checkpoint(const std::string& location);
  [[nodiscard]] expected<void> store_trials(const record_view& what, bool is_over);
  [[nodiscard]] expected<void> store_tree(const std::filesystem::path& below,
                                          const std::set<std::string>& checkpoints);
  [[nodiscard]] expected<void> store_record();
  [[nodiscard]] expected<void> remove_checkpoints(const record_view& what);
  [[nodiscard]] expected<void> put(const std::string& key, const std::string& hash);
  [[nodiscard]] bool has(const std::string& key, std::uint64_t size) const;
  void tell_once(const std::string& text);
};

} // namespace tune
