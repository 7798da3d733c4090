// Tunes from C++: a function with a scheduler and a searcher of its own, and a class with actors of
// its own.
#include "climber.hpp"
#include "laggards.hpp"
#include "own_actors.hpp"
#include "trainables.hpp"

#include <tune/io/process/host.hpp>
#include <tune/tuner/tuner.hpp>

#include <filesystem>
#include <iostream>

namespace {

int print(const tune::expected<tune::result_grid>& grid) {
  if (!grid) {
    std::cerr << "embed: " << to_text(grid.error()) << '\n';
    return 1;
  }
  std::cout << grid->to_csv();
  for (const auto& x : grid->errors())
    std::cout << to_text(x.trial) << " failed: " << x.error << '\n';
  auto best = grid->best();
  if (!best) {
    std::cerr << "embed: " << to_text(best.error()) << '\n';
    return 1;
  }
  std::cout << "the best is " << to_text(best->trial) << ": " << to_text(tune::value{best->config})
            << " with " << to_text(tune::value{best->metrics}) << '\n';
  return 0;
}

int tune_function(const std::filesystem::path& storage) {
  auto all = tune::builtin_choices(embed::trainables());
  all.schedulers.add(embed::laggards_entry());
  all.searchers.add(embed::climber_entry());
  tune::tuner tuner{all};

  auto what = tune::run_options{}
                  .name("function")
                  .storage(storage)
                  .trainable("parabola")
                  .parameter("x", "uniform(-5, 5)")
                  .minimise("loss")
                  .num_samples(12)
                  .scheduler("laggards", {{"grace", "3"}, {"margin", "2"}})
                  .searcher("climber");
  return print(tuner.run(what));
}

int tune_class(const std::filesystem::path& storage) {
  tune::run_options what;
  what.name("class").storage(storage).trainable("descent").minimise("loss");
  what.parameter("lr", "uniform(0, 2)").stop_at("training_iteration", 20);
  what.set("checkpoint.at_end", true);
  embed::use_own_actors(what);
  return print(tune::tuner{embed::trainables()}.run(what));
}

} // namespace

int main(int argc, char** argv) {
  // This must come first: trials run in processes of their own, which run this program again.
  if (auto status = tune::host_main(argc, argv, embed::trainables()))
    return *status;
  if (argc != 2) {
    std::cerr << "usage: embed DIRECTORY\n";
    return 2;
  }
  auto failed = tune_function(argv[1]);
  return failed != 0 ? failed : tune_class(argv[1]);
}
