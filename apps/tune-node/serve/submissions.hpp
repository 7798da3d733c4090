/// `POST /api/v1/experiments`: an experiment with its files, for a standing head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/hosted_head.hpp"
#include "tune/http/messages.hpp"

#include <memory>
#include <string>
#include <utility>

namespace tune::cli {

/// Largest upload. [bytes]
inline constexpr std::size_t largest_upload = 32 * 1024 * 1024;

/// A reason for which an experiment does not begin, with what a request can say in the place of
/// options of the command line.
[[nodiscard]] std::string in_words_of_requests(std::string text);

/// Passes uploads on. For any thread; blocks until the experiment runs.
class submissions {
public:
  /// @param head Null: this process is none.
  explicit submissions(std::shared_ptr<hosted_head> head) : head_{std::move(head)} {}

  /// 200 with the experiment's name; 409 where it cannot be done now, 422 where the upload is at
  /// fault.
  [[nodiscard]] http::response answer(const http::request& what);

private:
  std::shared_ptr<hosted_head> head_;
};

} // namespace tune::cli
