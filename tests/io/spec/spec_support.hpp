/// Small catalogues and shortcuts for loading, for the tests of io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune::support {

/// Proposes nothing.
class idle_searcher : public searcher {
public:
  explicit idle_searcher(searcher_traits what) : traits_{what} {}
  [[nodiscard]] searcher_traits traits() const override { return traits_; }
  void apply(const searcher_fact&) override {}
  [[nodiscard]] proposal propose(const ask&) const override { return exhausted{"idle"}; }
  void describe(fingerprint&) const override {}

private:
  searcher_traits traits_;
};

/// Judges nothing.
class idle_scheduler : public scheduler {
public:
  explicit idle_scheduler(scheduler_traits traits = {}) : traits_{std::move(traits)} {}
  [[nodiscard]] scheduler_traits traits() const override { return traits_; }
  void apply(const scheduler_fact&) override {}
  [[nodiscard]] decision judge(sequence, trial_id) const override { return {}; }
  [[nodiscard]] choice choose(sequence, std::uint32_t) const override { return {}; }
  [[nodiscard]] decision on_stall(sequence) const override { return {}; }
  void describe(fingerprint&) const override {}

private:
  scheduler_traits traits_;
};

inline option_spec integer_option(std::string name, std::string fallback, double least,
                                  std::string meaning) {
  option_spec result;
  result.name = std::move(name);
  result.kind = option_kind::integer;
  result.fallback = std::move(fallback);
  result.least = least;
  result.meaning = std::move(meaning);
  return result;
}

inline searcher_catalogue searchers() {
  searcher_catalogue::entry any{"any", "takes everything", "", {}, {}};
  any.known = {integer_option("portion", "4", 1, "suggestions at once")};
  any.make = [](const options&, const searcher_context&) -> expected<std::unique_ptr<searcher>> {
    return std::unique_ptr<searcher>{std::make_unique<idle_searcher>(searcher_traits{})};
  };
  searcher_catalogue::entry narrow{"narrow", "one objective, no conditions", "", {}, {}};
  narrow.make = [](const options&, const searcher_context&) -> expected<std::unique_ptr<searcher>> {
    searcher_traits traits;
    traits.objectives = 1;
    traits.conditional = false;
    return std::unique_ptr<searcher>{std::make_unique<idle_searcher>(traits)};
  };
  return searcher_catalogue{{any, narrow}};
}

inline scheduler_catalogue schedulers() {
  scheduler_catalogue::entry first{"first", "in order", "", {}, {}};
  first.make
      = [](const options&, const scheduler_context&) -> expected<std::unique_ptr<scheduler>> {
    return std::unique_ptr<scheduler>{std::make_unique<idle_scheduler>()};
  };
  scheduler_catalogue::entry halving{"halving", "keeps the better half", "", {}, {}};
  halving.known = {integer_option("grace_period", "1", 1, "iterations before the first rung"),
                   integer_option("max_t", "100", 1, "iterations of the last rung")};
  halving.make
      = [](const options& x, const scheduler_context&) -> expected<std::unique_ptr<scheduler>> {
    if (x.integer("grace_period") > x.integer("max_t"))
      return error{ec::bad_option, "grace_period: must be at most max_t"};
    return std::unique_ptr<scheduler>{std::make_unique<idle_scheduler>()};
  };
  scheduler_catalogue::entry pausing{"pausing", "lets trials wait", "", {}, {}};
  pausing.make
      = [](const options&, const scheduler_context&) -> expected<std::unique_ptr<scheduler>> {
    scheduler_traits traits;
    traits.needs_checkpoints = true;
    return std::unique_ptr<scheduler>{std::make_unique<idle_scheduler>(traits)};
  };
  return scheduler_catalogue{{first, halving, pausing}};
}

inline load_request request() {
  load_request result;
  result.schedulers = schedulers();
  result.searchers = searchers();
  return result;
}

inline constexpr const char* ini_name = "/nowhere/digits.ini";

/// The shortest configuration, in six lines.
inline constexpr std::string_view small = "[experiment]\n"
                                          "metric = accuracy\n"
                                          "[trainable]\n"
                                          "command = /bin/echo {lr}\n"
                                          "[space]\n"
                                          "lr = uniform(0, 1)\n";

inline load_result load_text(std::string_view text, const load_request& with = request()) {
  return load_spec_text(text, ini_name, with);
}

} // namespace tune::support
