// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/choices.hpp"

#include "tune/io/sinks/builtin.hpp"

namespace tune {

choices builtin_choices(trainable_registry trainables) {
  return {builtin_searchers(), builtin_schedulers(), std::move(trainables), {}, builtin_sinks()};
}

load_request request_for(const choices& all) {
  load_request result;
  result.schedulers = all.schedulers;
  result.searchers = all.searchers;
  result.stoppers = all.stoppers;
  result.sinks = all.sinks;
  result.trainables = &all.trainables;
  return result;
}

} // namespace tune
