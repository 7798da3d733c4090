// The whole command line of tune-node, with this program's own trainables and rules.
// SPDX-License-Identifier: BSD-3-Clause
#include "budget.hpp"
#include "climber.hpp"
#include "laggards.hpp"
#include "ledger.hpp"
#include "rounded_pbt.hpp"
#include "trainables.hpp"
#include "walker.hpp"

#include <tune/app/app.hpp>

int main(int argc, char** argv) {
  auto all = tune::builtin_choices(embed::trainables());
  all.schedulers.add(embed::laggards_entry());
  all.schedulers.add(embed::rounded_pbt_entry());
  all.searchers.add(embed::climber_entry());
  all.stoppers.add(embed::budget_entry());
  all.sinks.add(embed::ledger_entry());
  tune::add_actor(all.trainables, "walker", embed::walker(), "gradient descent, by an actor");
  return tune::app(argc, argv, std::move(all));
}
