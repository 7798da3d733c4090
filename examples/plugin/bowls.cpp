// SPDX-License-Identifier: BSD-3-Clause
// A plugin: a class that learns step by step, and a function that reports.
#include "tune/trainable/plugin.hpp"

#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

double number(const tune::object& config, const char* name) {
  const auto* found = config.find(name);
  const auto result = found != nullptr ? found->number() : std::nullopt;
  if (!result)
    throw std::invalid_argument{std::string{name} + " is missing, or no number"};
  return *result;
}

/// Rolls down a bowl with momentum; each training step is one step of the ball.
class ball : public tune::trainable {
public:
  void setup(const tune::object& config, const tune::trial_context& context) override {
    reset(config);
    // This file ends up in the trial's directory at the head, wherever the trial runs.
    std::ofstream{context.directory / "notes.txt"} << "lr = " << rate_ << '\n';
  }

  tune::metrics step() override {
    speed_ = momentum_ * speed_ - rate_ * 2 * place_;
    place_ += speed_;
    return {{"loss", place_ * place_}};
  }

  [[nodiscard]] bool can_save() const override { return true; }
  void save(const std::filesystem::path& directory) override {
    std::ofstream{directory / "ball"} << place_ << ' ' << speed_;
  }
  void load(const std::filesystem::path& directory) override {
    std::ifstream in{directory / "ball"};
    if (!(in >> place_ >> speed_))
      throw std::runtime_error{"there is no ball in " + directory.string()};
  }
  bool reset(const tune::object& config) override {
    rate_ = number(config, "lr");
    momentum_ = number(config, "momentum");
    place_ = 1;
    speed_ = 0;
    return true;
  }

private:
  double rate_ = 0;
  double momentum_ = 0;
  double place_ = 1;
  double speed_ = 0;
};

void bowl(tune::session& trial) {
  const auto x = number(trial.config(), "x");
  for (int i = 1; i <= 3 && trial.report({{"loss", x * x / i}}); ++i) {}
}

} // namespace

TUNE_PLUGIN(to) {
  to.add_class<ball>("ball", "a ball that rolls down a bowl; one step is one step");
  to.add_function("bowl", bowl, "the height of a bowl at x");
}
