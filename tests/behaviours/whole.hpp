/// Shared helpers of the tests that run whole experiments by a `tuner` on threads of this process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tuner/bowl.hpp"

#include "tune/io/json.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace tune {

/// Experiments whose trials run on threads, so that trials and tests can share variables.
struct behaviours : samples::tuner_test {
  trainable_registry known;

  [[nodiscard]] run_options experiment(std::string trainable, std::string name = "e") const {
    return options(std::move(name))
        .trainable(std::move(trainable))
        .parameter("x", "1")
        .isolation(isolation_kind::thread)
        .set("failure.backoff", 0)
        .set("failure.max_consecutive_failures", 0);
  }
  [[nodiscard]] result_grid run(const run_options& what) const {
    auto grid = tuner{known}.run(what);
    EXPECT_TRUE(grid) << to_text(grid.error());
    return grid ? std::move(*grid) : result_grid{{}, {}};
  }
  /// The error of options that must be refused, as text.
  [[nodiscard]] std::string refusal(const run_options& what) const {
    auto grid = tuner{known}.run(what);
    EXPECT_FALSE(grid);
    return grid ? std::string{} : to_text(grid.error());
  }
  /// Runs an experiment with a single trial. @returns that trial.
  [[nodiscard]] trial_result run_one(const run_options& what) const {
    auto grid = run(what);
    EXPECT_EQ(grid.trials().size(), 1u);
    return grid.trials().empty() ? trial_result{} : grid.trials().front();
  }

  /// A trial's logged results, in order.
  static std::vector<object> logged(const trial_result& of) {
    std::vector<object> result;
    std::ifstream file{of.directory / "result.jsonl"};
    for (std::string line; std::getline(file, line);) {
      auto read = object_from_json(line, json_position::metric);
      EXPECT_TRUE(read) << line;
      if (read)
        result.push_back(std::move(*read));
    }
    return result;
  }
  /// One metric of a trial's logged results; -1 where it is missing.
  static std::vector<double> logged(const trial_result& of, std::string_view metric) {
    std::vector<double> result;
    for (const auto& x : logged(of)) {
      const auto* found = x.find(metric);
      result.push_back(found == nullptr ? -1 : found->number().value_or(-1));
    }
    return result;
  }
  static std::map<trial_status, std::size_t> counts(const result_grid& of) {
    std::map<trial_status, std::size_t> result;
    for (const auto& x : of.trials())
      ++result[x.status];
    return result;
  }
};

/// Reads the count from a checkpoint.
inline std::int64_t count_in(const std::filesystem::path& checkpoint) {
  std::int64_t result = 0;
  std::ifstream{checkpoint / "count"} >> result;
  return result;
}
inline void put_count(const std::filesystem::path& checkpoint, std::int64_t count) {
  std::filesystem::create_directories(checkpoint);
  std::ofstream{checkpoint / "count"} << count;
}

} // namespace tune
