/// The process of an external searcher: started when it is first asked, and ended together with all
/// processes that it started.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/search/external/partner.hpp"
#include "tune/io/external/searcher_news.hpp"
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

/// Ends the processes of searchers from outside, even while other threads wait for them.
/// Thread-safe.
class searcher_switch {
public:
  /// Ends the processes permanently. Threads that wait for an answer learn at once that none will
  /// come.
  void off();

  // Registers and removes partners. To be called by the owners of the processes.
  void add(external::partner& which);
  void remove(external::partner& which);

private:
  std::mutex mutex_;
  bool is_off_ = false;
  std::vector<external::partner*> all_;
};

/// Directories, end switch and listener of a searcher's process.
struct searcher_place {
  /// The process's working directory: the experiment's directory, absolute. Its stderr goes to
  /// `searcher_log_name` there.
  std::filesystem::path directory;
  /// Words that begin with `./` are resolved relative to this directory, and `{ini_dir}` is
  /// replaced by it.
  std::string ini_dir;
  /// Switch that ends the process from outside; may be null.
  std::shared_ptr<searcher_switch> ends = {};
  /// Told of faults that are forgiven; may be null.
  std::shared_ptr<searcher_news> news = {};
};

inline constexpr const char* searcher_log_name = "search.log";
/// Limit of the log's size; of a longer log, the beginning and the end are kept. [bytes]
inline constexpr std::uint64_t longest_searcher_log = 16 * 1024 * 1024;
/// Longest line that the process may send. [bytes]
inline constexpr std::size_t longest_searcher_line = 1024 * 1024;

/// The words of `[search] command`.
/// @errors `ec::bad_syntax`, `ec::unknown_name`: also for names that only a trial has, such as
///         parameters.
[[nodiscard]] expected<std::vector<std::string>> searcher_words(const std::string& command,
                                                                const std::string& ini_dir);

/// The experiments that `[search] learn_from` names.
/// @errors as `searcher_words`; `ec::bad_syntax` for an empty name.
[[nodiscard]] expected<std::vector<std::string>> source_names(const std::string& text,
                                                              const std::string& ini_dir);

/// Makes the partner. No process runs before `begin`. @errors as `searcher_words`.
[[nodiscard]] expected<std::unique_ptr<external::partner>>
make_searcher_process(const external::partner_terms& what, const searcher_place& where,
                      process_service_options how = {});

} // namespace tune
