/// The trainables of this program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/trainable/trainable.hpp>

namespace embed {

/// Reports `loss` = (x - 1)^2 + 1 / iteration, ten times.
void parabola(tune::session& with);

/// Gradient descent on (x - 1)^2 from x = 10 with the step `lr`: one step per report, until it is
/// told to end. Every third report brings a checkpoint.
void stroll(tune::session& with);

/// The same descent as a class, which saves on request.
class descent : public tune::trainable {
public:
  void setup(const tune::object& config, const tune::trial_context& context) override;
  tune::metrics step() override;
  void save(const std::filesystem::path& directory) override;
  void load(const std::filesystem::path& directory) override;
  [[nodiscard]] bool can_save() const override { return true; }

private:
  double lr_ = 0;
  double x_ = 10;
};

/// All trainables by name.
[[nodiscard]] tune::trainable_registry trainables();

} // namespace embed
