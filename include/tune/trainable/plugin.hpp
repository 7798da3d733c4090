/// Trainables in a shared library, which `[trainable] plugin` names.
///
///     #include "tune/trainable/plugin.hpp"
///
///     TUNE_PLUGIN(to) {
///       to.add_class<my_trainable>("mine", "one step is one epoch");
///     }
///
/// It must be built with `target_link_libraries(mine PRIVATE tune::trainable)` of the same version
/// of this library, and by the same kind of compiler, as the tune-node that loads it. It is loaded
/// in the process of each trial, and never in the one that leads an experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/trainable/trainable.hpp"

#include <string>
#include <version>

namespace tune {

/// The version of this library that the caller was linked with: "0.1.0".
[[nodiscard]] const char* trainable_version();

/// Everything a plugin and the program that loads it must have in common: the version, and all that
/// decides how values lie in memory. Inline, so that it describes the code that includes it.
[[nodiscard]] inline std::string plugin_abi() {
  std::string result = std::string{"tune "} + trainable_version();
#if defined(__clang__)
  result += ", clang";
#elif defined(__GNUC__)
  result += ", gcc";
#endif
#if defined(__GXX_ABI_VERSION)
  result += ", C++ ABI " + std::to_string(__GXX_ABI_VERSION);
#endif
#if defined(_GLIBCXX_RELEASE)
  result += ", libstdc++ " + std::to_string(_GLIBCXX_USE_CXX11_ABI);
#elif defined(_LIBCPP_ABI_VERSION)
  result += ", libc++ " + std::to_string(_LIBCPP_ABI_VERSION);
#endif
#if defined(_GLIBCXX_DEBUG)
  result += ", _GLIBCXX_DEBUG";
#endif
  return result + ", " + std::to_string(sizeof(void*) * 8) + " bits, object "
         + std::to_string(sizeof(object)) + ", context " + std::to_string(sizeof(trial_context))
         + ", entry " + std::to_string(sizeof(trainable_registry::entry));
}

/// The symbols that a plugin exports.
inline constexpr const char* plugin_abi_symbol = "tune_plugin_abi";
inline constexpr const char* plugin_register_symbol = "tune_plugin_register";

} // namespace tune

/// Begins the function that registers a plugin's trainables with `to`, a
/// `tune::trainable_registry&`. Use once in each plugin.
#define TUNE_PLUGIN(to)                                                                            \
  extern "C" __attribute__((visibility("default"))) const char* tune_plugin_abi() {                \
    static const std::string text = tune::plugin_abi();                                            \
    return text.c_str();                                                                           \
  }                                                                                                \
  extern "C" __attribute__((visibility("default"))) void tune_plugin_register(                     \
      tune::trainable_registry& to)
