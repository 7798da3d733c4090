/// Requests of HTTP clients to the heads of experiments, by way of the control socket.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/read_model.hpp"
#include "serve/talk_requests.hpp"
#include "tune/core/error.hpp"
#include "tune/http/router.hpp"
#include "tune/io/control/control_words.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace tune::cli {

/// A trial by its number, "42" or "00042".
[[nodiscard]] std::optional<trial_id> trial_in_path(std::string_view text);

/// The request of the control vocabulary that a request by HTTP is.
/// @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`.
[[nodiscard]] expected<control_request> order_from(const http::request& what,
                                                   const http::route& where);

/// The response to the answer of a head: 200, or the problem if it is about one trial that is
/// unknown (404) or refused (409).
[[nodiscard]] http::response told_response(const control_answer& answer);

/// Passes requests on. For any thread; blocks until the head has answered.
class record_orders {
public:
  /// @param talk Gets the orders for the experiment that it leads. Both must outlive this object.
  /// @param takes_experiments Whether clients can send experiments, to go on with them.
  record_orders(read_model& model, talk_requests& talk, bool takes_experiments)
      : model_{model}, talk_{talk}, takes_experiments_{takes_experiments} {}

  [[nodiscard]] http::response answer(const http::request& what, const http::route& where);

private:
  read_model& model_;
  talk_requests& talk_;
  bool takes_experiments_;
};

} // namespace tune::cli
