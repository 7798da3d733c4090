/// Answers that several clients get who ask for the same at about the same time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/read_model.hpp"
#include "tune/core/ids.hpp"
#include "tune/http/problem.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tune::cli {

/// An answer of the read model.
struct shared_answer {
  /// It is as of this place of the log, or later.
  log_position as_of;
  std::string text;
  /// Its `ETag`, unquoted.
  std::string tag;
};

/// Keeps the newest answer to each of the last questions. For any thread: one works, and others
/// that ask the same wait for it.
class shared_answers {
public:
  using made = std::variant<shared_answer, http::problem>;

  /// The answer that is kept if it is of the same record and no older than `at_least`, else what
  /// `make` gives, which is called by this thread.
  [[nodiscard]] made answer(const std::string& question, const log_position& at_least,
                            const std::function<made()>& make);

  /// Most questions, and the longest text that is kept. [bytes]
  static constexpr std::size_t most = 64;
  static constexpr std::size_t longest = 1024 * 1024;

private:
  struct entry {
    std::mutex works;
    std::optional<shared_answer> kept;
  };
  std::mutex mutex_;
  /// The last used one comes first.
  std::list<std::pair<std::string, std::shared_ptr<entry>>> entries_;

  [[nodiscard]] std::shared_ptr<entry> entry_of(const std::string& question);
};

/// What a request asks for, as one text: different for different paths and queries.
[[nodiscard]] std::string question_text(const std::vector<std::string>& path,
                                        const http::query_map& query);

} // namespace tune::cli
