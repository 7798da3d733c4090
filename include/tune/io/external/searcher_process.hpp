/// The process of an external searcher: started when it is first asked, ended with everything that
/// it started.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/search/external/partner.hpp"
#include "tune/io/process/process_service.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tune {

/// Ends searchers' processes from outside, whoever waits for them: of any thread.
class searcher_switch {
public:
  /// For good. What waits for an answer hears at once that there will be none.
  void off();

  // For those who have the processes.
  void add(external::partner& which);
  void remove(external::partner& which);

private:
  std::mutex mutex_;
  bool is_off_ = false;
  std::vector<external::partner*> all_;
};

/// Where a searcher's process runs.
struct searcher_place {
  /// The experiment's directory, absolute: its working directory. What it prints on stderr goes to
  /// `searcher_log_name` there.
  std::filesystem::path directory;
  /// Words that begin with `./` stand against it, and `{ini_dir}` is it.
  std::string ini_dir;
  /// May be null.
  std::shared_ptr<searcher_switch> ends = {};
};

inline constexpr const char* searcher_log_name = "search.log";
/// Of the log; of what is longer the beginning and the end are kept. [bytes]
inline constexpr std::uint64_t longest_searcher_log = 16 * 1024 * 1024;
/// A line that the process says. [bytes]
inline constexpr std::size_t longest_searcher_line = 1024 * 1024;

/// The words of `[search] command`.
/// @errors `ec::bad_syntax`, `ec::unknown_name`: also for what only a trial has, as parameters.
[[nodiscard]] expected<std::vector<std::string>> searcher_words(const std::string& command,
                                                                const std::string& ini_dir);

/// The experiments that `[search] learn_from` names.
/// @errors as `searcher_words`; `ec::bad_syntax` for an empty name.
[[nodiscard]] expected<std::vector<std::string>> source_names(const std::string& text,
                                                              const std::string& ini_dir);

/// Nothing runs before `begin`. @errors as `searcher_words`.
[[nodiscard]] expected<std::unique_ptr<external::partner>>
make_searcher_process(const external::partner_terms& what, const searcher_place& where,
                      process_service_options how = {});

} // namespace tune
