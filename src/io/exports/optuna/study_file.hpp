/// A SQLite file with the tables of Optuna's storage. Private to the export.
///
/// Tables and versions are those that Optuna 3.2 to 5.0 make and read: schema 12, revision
/// "v3.2.0.a".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "store/sqlite.hpp"

#include "tune/core/value.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tune {

/// Optuna's states of trials.
enum class optuna_state : std::uint8_t { running, complete, pruned, fail, waiting };

/// One file with one study, written in one transaction.
class study_file {
public:
  /// @errors `ec::storage`.
  [[nodiscard]] static expected<study_file> create(const std::filesystem::path& file,
                                                   const std::string& study);

  // Each call remembers a failure, which `commit` returns.

  /// @param maximise One for each objective.
  void directions(const std::vector<bool>& maximise);
  void study_user_attribute(const std::string& key, const value& what);
  void study_system_attribute(const std::string& key, const value& what);
  /// @param start, end Unix time in milliseconds; nothing: it has not begun, or is not over.
  void trial(std::uint64_t number, optuna_state state, std::optional<std::int64_t> start,
             std::optional<std::int64_t> end);
  void parameter(std::uint64_t number, const std::string& name, double x,
                 const std::string& distribution);
  void objective(std::uint64_t number, std::size_t which, double x);
  /// A later one of the same step replaces it.
  void intermediate(std::uint64_t number, std::uint64_t step, double x);
  void user_attribute(std::uint64_t number, const std::string& key, const value& what);
  void system_attribute(std::uint64_t number, const std::string& key, const value& what);

  /// The number of those that it holds. @errors `ec::storage`.
  [[nodiscard]] expected<std::int64_t> intermediate_values();

  /// @errors `ec::storage` with the file.
  [[nodiscard]] expected<void> commit();

private:
  explicit study_file(store::connection db) : db_{std::move(db)} {}

  store::connection db_;
  store::statement trial_;
  store::statement parameter_;
  store::statement objective_;
  store::statement intermediate_;
  store::statement user_attribute_;
  store::statement system_attribute_;
  bool failed_ = false;
  std::optional<error> why_;

  [[nodiscard]] expected<void> prepare();
  void run(store::statement& what);
  void study_attribute(const char* table, const std::string& key, const value& what);
};

} // namespace tune
