// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/external/chronicle.hpp"

#include "tune/core/search/external/answer.hpp"
#include "tune/core/search/known.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace tune::external {

void chronicle::apply(const searcher_fact& what) {
  std::visit([&](const auto& x) { take(what.seq, x); }, what.what);
}

void chronicle::insert(sequence at, episode what) {
  auto before = [](sequence x, const entry& y) { return x < y.at; };
  auto place = std::upper_bound(entries_.begin(), entries_.end(), at, before);
  entries_.insert(place, {at, std::make_shared<const episode>(std::move(what))});
}

void chronicle::take(sequence at, const suggested_fact& what) {
  heard_.add(what.ask).add(what.first);
  const auto asked = what.asked == 0 ? at : what.asked;
  if (const auto* list = std::get_if<std::vector<suggestion>>(&what.what)) {
    auto id = what.first;
    for (const auto& x : *list) {
      take(asked, what.ask, id, x);
      ++id.number;
    }
    return;
  }
  episode made;
  made.ask = what.ask;
  made.what = std::holds_alternative<exhausted>(what.what) ? episode::kind::ended_search
                                                           : episode::kind::waited;
  insert(asked, std::move(made));
}

void chronicle::take(sequence at, std::uint64_t ask, trial_id trial, const suggestion& what) {
  heard_.add(*what.config);
  ++suggested_;
  known_[trial] = what.config;
  episode made;
  made.ask = ask;
  made.trial = trial;
  made.config = what.config;
  if (what.origin != own_origin) {
    made.what = episode::kind::added;
    made.from = "points";
  }
  insert(at, std::move(made));
}

void chronicle::take(sequence at, const observation& what) {
  heard_.add(what.trial).add(static_cast<std::uint64_t>(what.how)).add(what.fidelity);
  auto [known, is_new] = known_.try_emplace(what.trial, what.config);
  if (is_new) {
    episode made;
    made.what = episode::kind::added;
    made.trial = what.trial;
    made.config = what.config;
    made.from = is_known_result(what.trial) ? "known" : "client";
    insert(at, std::move(made));
  }
  if (what.how == outcome::running && !keeps_reports_)
    return;
  // In a record, equal configurations are different objects.
  auto same = known->second == what.config || what.config == nullptr
              || (known->second != nullptr && *known->second == *what.config);
  episode made;
  made.what = what.how == outcome::running ? episode::kind::reported : episode::kind::completed;
  made.trial = what.trial;
  made.config = same ? nullptr : what.config;
  made.iteration = what.values.empty() ? 0 : what.fidelity;
  made.values = what.values;
  made.constraints = what.constraints;
  made.how = what.how;
  if (!same)
    known->second = what.config;
  // A running trial without values was only introduced, and has reported nothing.
  if (what.how != outcome::running || !what.values.empty())
    insert(at, std::move(made));
}

past chronicle::until(sequence at) const {
  past result;
  for (const auto& x : entries_) {
    if (x.at > at)
      break;
    result.push_back(x.what);
  }
  return result;
}

past chronicle::whole() const {
  return until(std::numeric_limits<sequence>::max());
}

void chronicle::describe(fingerprint& into) const {
  into.add(suggested_).add(heard_.digest());
}

} // namespace tune::external
