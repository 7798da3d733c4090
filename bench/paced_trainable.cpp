// SPDX-License-Identifier: BSD-3-Clause
// A plugin for live_bench.py: trials that end with their first report, and behind them trials that
// report at a steady pace.
#include "tune/trainable/plugin.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

double number(const tune::object& config, const char* name) {
  const auto* found = config.find(name);
  const auto result = found != nullptr ? found->number() : std::nullopt;
  if (!result)
    throw std::invalid_argument{std::string{name} + " is missing, or no number"};
  return *result;
}

/// `quick`: number of trials that report once; `pause`: what the others wait after each answer. [s]
void paced(tune::session& trial) {
  const auto& config = trial.config();
  const auto x = number(config, "x");
  const std::chrono::duration<double> pause{number(config, "pause")};
  const auto is_quick = std::stod(trial.context().trial_id) < number(config, "quick");
  for (int i = 1; trial.report({{"loss", x * x + 1.0 / i}}) && !is_quick; ++i)
    std::this_thread::sleep_for(pause);
}

} // namespace

TUNE_PLUGIN(to) {
  to.add_function("paced", paced, "reports once, or at a steady pace");
}
