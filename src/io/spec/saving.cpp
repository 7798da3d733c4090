// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/saving.hpp"

#include "tune/trainable/trainable.hpp"

namespace tune {

namespace {

std::string why_not(const trainable_registry::entry* entry, const std::string& name) {
  if (entry == nullptr)
    return "nothing is known of " + name;
  if (entry->maker == nullptr)
    return "the function " + name + " hands checkpoints over by itself, and is not asked for any";
  return entry->maker()->can_save() ? "" : "the class " + name + " has no save";
}

} // namespace

std::string why_no_saving(const spec& what, const trainable_registry& known) {
  const auto& x = what.trainable;
  if (!x.kind)
    return {};
  switch (*x.kind) {
    case trainable_kind::command:
      return x.metrics.empty() ? ""
                               : "a program that is read by patterns (metric."
                                     + x.metrics.front().name + ") is not asked for any";
    case trainable_kind::table:
      return {};
    case trainable_kind::function:
    case trainable_kind::class_type:
      break;
  }
  return why_not(known.find(x.name), x.name);
}

} // namespace tune
