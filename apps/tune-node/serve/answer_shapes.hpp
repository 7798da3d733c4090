/// What the answers of the API look like, as schemas of OpenAPI 3.0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"

#include <string>
#include <string_view>

namespace tune::cli {

/// Every shape by its name, for `components/schemas`. Objects have no other members than those that
/// are named here, but for those that hold what experiments name themselves.
[[nodiscard]] object answer_schemas();

/// The schema of what a route answers in JSON where all is well; empty: it answers something else.
/// @param route_id As in `api_routes`.
[[nodiscard]] object answer_schema(std::string_view route_id);

/// The schema of every problem.
[[nodiscard]] object problem_schema();

} // namespace tune::cli
