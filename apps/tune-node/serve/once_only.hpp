/// Requests that a client may send twice: carried out once by their header `Idempotency-Key`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/http/messages.hpp"
#include "tune/http/repeat_book.hpp"
#include "tune/http/router.hpp"

#include <functional>
#include <mutex>

namespace tune::cli {

/// For any thread.
class once_only {
public:
  /// The answer of `work`; or the one that it gave to the same request with the same key within the
  /// last hour. What succeeded is remembered, and what nobody answered (504), since it may yet be
  /// carried out; what was refused may succeed another time.
  [[nodiscard]] http::response answer(const http::request& what, const http::route& where,
                                      const std::function<http::response()>& work);

private:
  std::mutex mutex_;
  http::repeat_book repeats_;
};

} // namespace tune::cli
