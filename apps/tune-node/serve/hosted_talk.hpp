/// The conversation with executors that this process leads, for clients by HTTP.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <string>

namespace tune::cli {

/// For any thread. Implemented by `ask-tell --http`.
class hosted_talk {
public:
  hosted_talk() = default;
  hosted_talk(const hosted_talk&) = delete;
  hosted_talk& operator=(const hosted_talk&) = delete;
  virtual ~hosted_talk() = default;

  /// The name of its experiment.
  [[nodiscard]] virtual const std::string& experiment() const = 0;
  /// Answers one request of docs/ask-tell.md once all that the answer rests on is on disk.
  /// @errors `ec::storage`: nothing can be answered any more.
  [[nodiscard]] virtual expected<object> answer(const object& request) = 0;
};

} // namespace tune::cli
