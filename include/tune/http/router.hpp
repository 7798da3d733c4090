/// The routes of a server, and which of them a request means.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/http/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tune::http {

/// Who may use a route.
enum class access : std::uint8_t {
  /// Everybody who reaches the port.
  open,
  /// Whoever has the token, or a cookie that was given for it.
  token
};

/// The values that a query parameter may have.
struct parameter {
  enum class kind : std::uint8_t { text, integer, choice, flag };
  std::string name;
  kind what = kind::text;
  /// Of an integer; of a text its longest length, in code points.
  std::int64_t least = 0;
  std::int64_t most = 1000;
  std::vector<std::string> choices = {};
  std::string meaning = {};
};

/// One route: where it is and what it takes. Everything that is said of routes, their description
/// for clients included, comes from here.
struct route {
  method what = method::get;
  /// "/api/v1/trials/{trial}": a name in braces stands for one segment, `{path...}` at the end for
  /// one or more.
  std::string pattern;
  /// Unique; the operation's name for clients.
  std::string id;
  std::string summary;
  access who = access::token;
  std::vector<parameter> query = {};
  /// Largest body; 0: none is taken. [bytes]
  std::size_t body = 0;
  /// The media type of the body.
  std::string body_type = "application/json";
  /// Whether it may take long, or wait for somebody else.
  bool is_slow = false;
  /// Whether any query is taken: it says what a page shows, and is read there alone.
  bool any_query = false;
};

struct route_match {
  const route* which = nullptr;
  std::map<std::string, std::string> names;
};

/// There is nothing at this path.
struct no_route {};
/// There are other methods at this path. `allowed`: "GET, HEAD".
struct other_method {
  std::string allowed;
};

using route_answer = std::variant<route_match, no_route, other_method>;

/// Finds routes. A pattern with a fixed segment goes before one with a name in its place.
class router {
public:
  explicit router(std::vector<route> routes);

  /// HEAD goes where GET goes.
  [[nodiscard]] route_answer find(method what, const std::vector<std::string>& path) const;
  [[nodiscard]] const std::vector<route>& routes() const { return routes_; }

private:
  std::vector<route> routes_;
  /// The segments of each route's pattern.
  std::vector<std::vector<std::string>> patterns_;
};

/// Checks a query against the parameters of a route. Unknown names are refused, so that a
/// misspelled filter does not pass for none.
/// @errors `ec::unknown_name`, `ec::bad_option`.
[[nodiscard]] expected<void> check_query(const route& where, const query_map& query);

} // namespace tune::http
