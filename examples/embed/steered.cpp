// Steers an experiment while it runs, from a callback. SPDX-License-Identifier: BSD-3-Clause
#include "trainables.hpp"

#include <tune/io/process/host.hpp>
#include <tune/tuner/tuner.hpp>

#include <iostream>
#include <memory>
#include <optional>

namespace {

/// Adds a configuration of its own, and ends the experiment once that trial has ended.
class guesser : public tune::tuner_callback {
public:
  explicit guesser(tune::steering with) : with_{std::move(with)} {}

  void reported(const tune::report&, tune::instant) override {
    if (guess_)
      return;
    // The same key adds only one trial, even after a crash.
    auto added = with_.add({{"x", 1.0}}, "my first guess");
    if (added && added->what == tune::order_verdict::kind::taken)
      guess_ = added->trial;
  }
  void trial_changed(const tune::cmd::trial_changed& what, tune::instant) override {
    if (guess_ == what.trial && what.status == tune::trial_status::terminated)
      stopped_ = with_.stop().has_value();
  }
  void finished(tune::experiment_status, const std::string&) override {
    if (stopped_)
      std::cout << "the guess was trial " << to_text(*guess_) << '\n';
  }

private:
  tune::steering with_;
  std::optional<tune::trial_id> guess_;
  bool stopped_ = false;
};

} // namespace

int main(int argc, char** argv) {
  if (auto status = tune::host_main(argc, argv, embed::trainables()))
    return *status;
  if (argc != 2) {
    std::cerr << "usage: steered DIRECTORY\n";
    return 2;
  }
  tune::tuner tuner{embed::trainables()};
  auto with = tuner.steer();
  auto what = tune::run_options{}
                  .name("steered")
                  .storage(argv[1])
                  .trainable("parabola")
                  .parameter("x", "uniform(-5, 5)")
                  .minimise("loss")
                  .num_samples(0)
                  .callback(std::make_shared<guesser>(with));
  auto grid = tuner.run(what);
  // The handle still knows the trials of the finished experiment.
  auto all = with.trials();
  if (!grid || !all || all->size() != grid->trials().size()) {
    std::cerr << "steered: " << (grid ? "trials are missing" : to_text(grid.error())) << '\n';
    return 1;
  }
  if (auto best = grid->best())
    std::cout << "the best is " << to_text(tune::value{best->config}) << '\n';
  return 0;
}
