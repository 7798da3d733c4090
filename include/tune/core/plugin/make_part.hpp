/// Calls factories of a catalogue, which may be the user's own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/plugin/catalogue.hpp"

#include <exception>
#include <memory>
#include <string>

namespace tune {

/// Makes a part by its entry.
/// @errors of the factory; `ec::bad_option` if it throws, whatever that is, or makes nothing.
template <class Part, class Context>
[[nodiscard]] expected<std::unique_ptr<Part>> make_part(const catalogue_entry<Part, Context>& entry,
                                                        const options& with,
                                                        const Context& context) {
  try {
    auto made = entry.make(with, context);
    if (made && *made == nullptr)
      return error{ec::bad_option, "its factory made nothing"};
    return made;
  } catch (const std::exception& x) {
    return error{ec::bad_option, std::string{"its factory failed: "} + x.what()};
  } catch (...) {
    return error{ec::bad_option, "its factory failed"};
  }
}

} // namespace tune
