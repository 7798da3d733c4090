// SPDX-License-Identifier: BSD-3-Clause
#include "tune/trainable/trainable.hpp"

#include <stdexcept>

namespace tune {

void trainable::save(const std::filesystem::path&) {
  throw std::logic_error{"this trainable cannot save"};
}

void trainable::load(const std::filesystem::path&) {
  throw std::logic_error{"this trainable cannot restore"};
}

bool trainable::reset(const object&) {
  return false;
}

bool trainable::reset_for(const object& config, const trial_context&) {
  return reset(config);
}

bool trainable::export_model(const std::filesystem::path&, std::string_view) {
  return false;
}

void trainable::cleanup() {}

void trainable_registry::add_function(std::string name, trainable_function what,
                                      std::string summary) {
  auto key = name;
  entries_[std::move(key)] = {std::move(name), std::move(summary), std::move(what), {}};
}

void trainable_registry::add_class(std::string name, trainable_maker what, std::string summary) {
  auto key = name;
  entries_[std::move(key)] = {std::move(name), std::move(summary), {}, std::move(what)};
}

void trainable_registry::add_actor(std::string name, std::shared_ptr<const own_trainable> what,
                                   bool can_save, std::string summary) {
  auto key = name;
  entries_[std::move(key)]
      = {std::move(name), std::move(summary), {}, {}, std::move(what), can_save};
}

const trainable_registry::entry* trainable_registry::find(std::string_view name) const {
  auto i = entries_.find(name);
  return i == entries_.end() ? nullptr : &i->second;
}

std::vector<const trainable_registry::entry*> trainable_registry::entries() const {
  std::vector<const entry*> result;
  for (const auto& [name, x] : entries_)
    result.push_back(&x);
  return result;
}

} // namespace tune
