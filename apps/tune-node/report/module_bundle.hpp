/// Joins the modules of the page that a report needs into one script without imports: a file that
/// is opened from a disk may load no others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tune::cli {

/// The text of a module by its path, as `core/dom.js`; nothing: there is none.
using module_source = std::function<std::optional<std::string_view>(const std::string& path)>;

/// Makes one script of a module and of all that it imports, each in a function of its own, after
/// those that it needs. Takes what the page's modules are made of: imports of names, or of all as
/// one, by relative paths, at the beginning of lines; and exported functions, classes and
/// constants.
///
/// @errors `ec::unreadable`: a module that is not there; `ec::bad_syntax`: an import or export of
///         another form, or modules that import one another in a circle; both name the module.
[[nodiscard]] expected<std::string> bundle_of(const std::string& entry, const module_source& from);

} // namespace tune::cli
