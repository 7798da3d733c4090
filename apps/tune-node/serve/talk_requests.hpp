/// Requests of executors by HTTP: `ask`, `tell`, and what clients order while one converses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/hosted_talk.hpp"
#include "tune/http/messages.hpp"
#include "tune/http/router.hpp"
#include "tune/io/control/control_words.hpp"

#include <memory>
#include <string>

namespace tune::cli {

/// The request of docs/ask-tell.md that a request by HTTP is: its body, with `op` for `ask`.
///
/// Several clients may run trials, and each request may be sent twice: reports therefore name
/// their attempt and iteration.
/// @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`.
[[nodiscard]] expected<object> talk_request_from(const http::request& what,
                                                 const http::route& where);

/// 200 with the answer, or the problem that a fault is (422).
[[nodiscard]] http::response talk_response(const object& answer);

/// Carries requests to the conversation, if there is one. For any thread.
class talk_requests {
public:
  /// @param talk Null: this process leads none.
  explicit talk_requests(std::shared_ptr<hosted_talk> talk) : talk_{std::move(talk)} {}

  /// Whether the experiment's trials are run by clients of this process.
  [[nodiscard]] bool leads(const std::string& experiment) const {
    return talk_ != nullptr && talk_->experiment() == experiment;
  }
  /// Answers a request for `ask` or `tell`. The experiment is one that is served.
  [[nodiscard]] http::response answer(const http::request& what, const http::route& where);
  /// Carries out an order for the experiment that is led, if a conversation can.
  [[nodiscard]] http::response carry_out(const control_request& wish);

private:
  std::shared_ptr<hosted_talk> talk_;
};

} // namespace tune::cli
