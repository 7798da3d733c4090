// SPDX-License-Identifier: BSD-3-Clause
#include "climber.hpp"

#include <tune/core/rng.hpp>

namespace embed {

using namespace tune;

void climber::apply(const searcher_fact& what) {
  if (const auto* said = std::get_if<suggested_fact>(&what.what)) {
    if (const auto* list = std::get_if<std::vector<suggestion>>(&said->what))
      made_ += list->size();
    return;
  }
  const auto& seen = std::get<observation>(what.what);
  if (seen.values.empty() || seen.values.front() != seen.values.front())
    return;
  if (best_ == nullptr || seen.values.front() > score_) {
    best_ = seen.config;
    score_ = seen.values.front();
  }
}

proposal climber::propose(const ask& question) const {
  std::vector<suggestion> result;
  const auto& parameters = about_.space->parameters();
  for (std::uint32_t i = 0; i < question.count; ++i) {
    // Random numbers depend only on the trial's place: no generator is kept.
    rng chance{about_.seed, "climber", made_ + i};
    std::vector<value> values;
    std::vector<double> at;
    for (const auto& x : parameters) {
      auto u = chance.unit();
      const auto* kept = best_ == nullptr ? nullptr : find_parameter(*best_, x.name);
      auto keeps = chance.unit() < keep_ && kept != nullptr;
      values.push_back(keeps ? *kept : at_quantile(x.what, u));
      // A range that depends on other parameters may have changed; then the value is drawn.
      at.push_back(u);
    }
    about_.space->place(values, at);
    result.push_back({std::make_shared<const object>(about_.space->assemble(values)), "climber"});
  }
  return result;
}

void climber::describe(fingerprint& into) const {
  into.add(made_).add(score_);
  if (best_ != nullptr)
    into.add(*best_);
}

searcher_catalogue::entry climber_entry() {
  option_spec keep{"keep", option_kind::number, "0.5", 0, 1};
  keep.meaning = "how likely a parameter is taken over from the best trial";
  return {"climber",
          "varies the best configuration so far",
          "",
          {keep},
          [](const options& with, const searcher_context& about) {
            return expected<std::unique_ptr<searcher>>{
                std::make_unique<climber>(about, with.number("keep"))};
          }};
}

} // namespace embed
