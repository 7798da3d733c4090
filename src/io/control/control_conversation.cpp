// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_conversation.hpp"

namespace tune {

namespace {

/// Number of invalid lines after which a client is dismissed.
constexpr int most_faults = 10;

} // namespace

void control_conversation::say(std::string_view text) {
  out_ += text;
  out_ += '\n';
}

void control_conversation::take(std::string_view bytes) {
  if (dismissed_)
    return;
  in_ += bytes;
  if (in_.size() > longest_control_line && in_.find('\n') > longest_control_line)
    dismiss({ec::bad_option,
             "a line is longer than " + std::to_string(longest_control_line) + " bytes"});
}

std::optional<control_request> control_conversation::next() {
  // Nothing is read before the last answer was sent: a client that does not read cannot make
  // answers pile up.
  while (!owes_ && !dismissed_ && out_.empty()) {
    auto end = in_.find('\n');
    if (end == in_.npos)
      return std::nullopt;
    auto request = control_request_from_json(std::string_view{in_}.substr(0, end));
    in_.erase(0, end + 1);
    if (request) {
      owes_ = true;
      return std::move(*request);
    }
    if (++faults_ == most_faults)
      dismiss({ec::bad_option, "too many lines that are no requests"});
    else
      say(control_fault(request.error()));
  }
  return std::nullopt;
}

void control_conversation::answer(std::string_view text, time_point now) {
  if (!owes_ || dismissed_)
    return;
  owes_ = false;
  since_ = now;
  say(text);
}

void control_conversation::dismiss(const error& why) {
  if (dismissed_)
    return;
  dismissed_ = true;
  owes_ = false;
  in_.clear();
  say(control_fault(why));
}

bool control_conversation::is_ready() const {
  return !owes_ && !dismissed_ && out_.empty() && in_.find('\n') != in_.npos;
}

bool control_conversation::listens() const {
  return !at_end_ && !dismissed_ && !owes_ && out_.empty() && !is_ready();
}

void control_conversation::sent(std::size_t count, time_point now) {
  out_.erase(0, count);
  since_ = now;
}

bool control_conversation::is_over() const {
  if (owes_ || !out_.empty())
    return false;
  return dismissed_ || (at_end_ && in_.find('\n') == in_.npos);
}

std::optional<control_conversation::time_point> control_conversation::deadline() const {
  if (owes_)
    return std::nullopt;
  return since_ + control_patience;
}

} // namespace tune
