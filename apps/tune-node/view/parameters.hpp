/// The parameters of an experiment with their domains, in the JSON of the API.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>
#include <vector>

namespace tune::cli {

/// A domain: `kind` ("float", "int", "normal", "choice", "ordinal", "grid", "constant",
/// "permutation", "subset", "dependent"), `text` as the user wrote it, and as far as it has them
/// `low`, `high`, `log`, `quantum`, `values`.
[[nodiscard]] object domain_object(const domain& what);

/// A list of `name`, `domain`, `conditional`; empty if the space cannot be read any more.
[[nodiscard]] value parameters_value(const spec& what);

/// The names of the parameters. @param parameters As `parameters_value` makes it.
[[nodiscard]] std::vector<std::string> parameter_names_in(const value& parameters);

/// The whole configuration, with the values of environment variables left out: they may be secret.
[[nodiscard]] value shown_spec(spec what);

} // namespace tune::cli
