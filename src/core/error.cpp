// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/error.hpp"

namespace tune {

std::string_view to_text(ec code) {
  switch (code) {
    case ec::bad_option:
      return "bad_option";
    case ec::bad_syntax:
      return "bad_syntax";
    case ec::unknown_name:
      return "unknown_name";
    case ec::unreadable:
      return "unreadable";
    case ec::illegal_transition:
      return "illegal_transition";
    case ec::impossible_request:
      return "impossible_request";
    case ec::storage:
      return "storage";
    case ec::refused:
      return "refused";
    case ec::process:
      return "process";
    case ec::protocol:
      return "protocol";
    case ec::user_code:
      return "user_code";
    case ec::timeout:
      return "timeout";
    case ec::internal:
      return "internal";
    case ec::unreachable:
      return "unreachable";
    case ec::shortage:
      return "shortage";
  }
  return "unknown";
}

std::string to_text(const error& what) {
  return what.detail.empty() ? std::string{to_text(what.code)} : what.detail;
}

} // namespace tune
