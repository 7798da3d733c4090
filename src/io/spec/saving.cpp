// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/saving.hpp"

#include "tune/trainable/trainable.hpp"

namespace tune {

namespace {

saving saving_of(const trainable_registry::entry* entry, const std::string& name) {
  using enum save_ability;
  if (entry == nullptr)
    return {none, name, "nothing is known of " + name};
  if (entry->actor != nullptr) {
    auto trainable = "the actor " + name;
    if (entry->actor_saves)
      return {on_request, trainable, {}};
    return {none, trainable, trainable + " has no save"};
  }
  if (entry->maker == nullptr) {
    auto trainable = "the function " + name;
    return {with_reports, trainable,
            trainable + " hands checkpoints over by itself, and is not asked for any"};
  }
  auto trainable = "the class " + name;
  auto made = entry->maker();
  if (made != nullptr && made->can_save())
    return {on_request, trainable, {}};
  return {none, trainable, trainable + " has no save"};
}

/// Plugin classes are created in trial processes only: a class is assumed to save until it says
/// otherwise.
saving saving_of_plugged(const trainable_section& x) {
  using enum save_ability;
  if (*x.kind == trainable_kind::class_type)
    return {on_request, "the class " + x.name, {}};
  auto trainable = "the function " + x.name;
  return {with_reports, trainable,
          trainable + " hands checkpoints over by itself, and is not asked for any"};
}

} // namespace

saving saving_of(const spec& what, const trainable_registry& known) {
  using enum save_ability;
  const auto& x = what.trainable;
  if (!x.kind)
    return {on_request, {}, {}};
  switch (*x.kind) {
    case trainable_kind::command:
      if (x.metrics.empty())
        return {on_request, "the program", {}};
      return {none, "the program",
              "a program that is read by patterns (metric." + x.metrics.front().name
                  + ") is not asked for any"};
    case trainable_kind::table:
      return {on_request, "the table", {}};
    case trainable_kind::function:
    case trainable_kind::class_type:
    case trainable_kind::actor:
      break;
  }
  if (!x.plugin.empty())
    return saving_of_plugged(x);
  return saving_of(known.find(x.name), x.name);
}

} // namespace tune
