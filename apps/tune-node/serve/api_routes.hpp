/// All routes of the gateway: docs/http-api.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/http/router.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// The routes. The id of one that the read model answers begins with "view_".
[[nodiscard]] std::vector<http::route> api_routes();

/// The description of routes for clients, in the format of OpenAPI 3.0: one line of JSON.
[[nodiscard]] std::string openapi_text(const std::vector<http::route>& routes,
                                       std::string_view version);

} // namespace tune::cli
