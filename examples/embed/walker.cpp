// SPDX-License-Identifier: BSD-3-Clause
#include "walker.hpp"

#include <fstream>
#include <limits>
#include <stdexcept>

namespace embed {

using namespace tune;

namespace {

struct walker_state {
  static inline const char* name = "embed.walker";
  double lr = 0;
  double x = 10;

  void set_up(const object& config) {
    const auto* found = config.find("lr");
    if (found == nullptr || !found->number())
      throw std::invalid_argument{"lr must be a number"};
    lr = *found->number();
  }
  caf::result<void> load(const std::filesystem::path& from) {
    if (!(std::ifstream{from / "x"} >> x))
      return caf::make_error(caf::sec::runtime_error, "cannot read " + from.string());
    return caf::unit;
  }
  training_result step() {
    x -= lr * 2 * (x - 1);
    return {{{"loss", (x - 1) * (x - 1)}}};
  }
  caf::result<void> save(const std::filesystem::path& to) const {
    std::ofstream out{to / "x"};
    out.precision(std::numeric_limits<double>::max_digits10);
    if (!(out << x).flush())
      return caf::make_error(caf::sec::runtime_error, "cannot write " + to.string());
    return caf::unit;
  }
};

/// Receives one message at a time, and the next after its answer.
own_trainable_actor::behavior_type walk(own_trainable_actor::stateful_pointer<walker_state> self) {
  auto& state = state_of(self);
  return {
      [&state](const training_setup& what) { state.set_up(*what.config); },
      [&state](const training_load& from) { return state.load(from.directory); },
      [&state](training_step) { return state.step(); },
      [&state](const training_save& to) { return state.save(to.directory); },
      // There is nothing to export.
      [](const training_export&) { return false; },
  };
}

} // namespace

own_trainable walker() {
  return trained_by<walker_state>(walk);
}

} // namespace embed
