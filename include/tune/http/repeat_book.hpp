/// Requests that were answered already: a client that heard no answer may send one again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace tune::http {

/// An answer that can be given again.
struct kept_answer {
  unsigned status = 200;
  std::string type;
  std::string body;

  friend bool operator==(const kept_answer&, const kept_answer&) = default;
};

/// Answers by their idempotency keys. Keeps the newest `most` for `lifetime`.
class repeat_book {
public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::size_t most = 1000;
  static constexpr std::chrono::hours lifetime{1};

  /// It is new: carry it out, and call `keep` or `forget`.
  struct is_new {};
  /// It is being carried out.
  struct is_open {};
  /// The key was used for another request.
  struct is_other {};
  using finding = std::variant<is_new, is_open, is_other, kept_answer>;

  /// @param print What the request is: its target and body, or a hash of them.
  [[nodiscard]] finding begin(const std::string& key, const std::string& print, time_point now);
  void keep(const std::string& key, kept_answer what);
  /// It was not carried out, and may be tried again.
  void forget(const std::string& key);

private:
  struct entry {
    std::string print;
    time_point since;
    std::optional<kept_answer> answer;
  };
  std::map<std::string, entry> entries_;
  /// Keys, the oldest first.
  std::deque<std::string> order_;

  void drop_old(time_point now);
};

} // namespace tune::http
