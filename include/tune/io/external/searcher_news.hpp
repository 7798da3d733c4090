/// What the process of an external searcher has to tell people.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace tune {

/// Passes warnings on to a listener, which comes and goes. Thread-safe.
class searcher_news {
public:
  using listener = std::function<void(const std::string&)>;

  /// @param to Called by any thread, by one at a time; must return soon. Empty: nobody listens. The
  ///           previous one is not called any more once this has returned.
  void listen(listener to) {
    std::lock_guard guard{mutex_};
    to_ = std::move(to);
  }
  void warn(const std::string& text) {
    std::lock_guard guard{mutex_};
    if (to_)
      to_(text);
  }

private:
  std::mutex mutex_;
  listener to_;
};

} // namespace tune
