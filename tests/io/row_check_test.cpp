// Rows of checkpoints, compared with the log and the state machine.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/check/row_check.hpp"

#include "io/store_fixture.hpp"

#include <string>
#include <vector>

namespace tune {
namespace {

/// A trial with a checkpoint that a head doomed.
class row_check_test : public samples::store_fixture {
protected:
  /// @param stays Whether the state machine kept the checkpoint all the same.
  /// @returns the findings about the rows of checkpoints.
  std::vector<std::string> check(std::uint32_t draws, bool stays) {
    auto items = a_run(1, 1);
    std::get<on::opened>(std::get<event>(items.front().what).what).draws = draws;
    const auto last = items.back().seq;
    items.push_back(at(last + 1, on::saved{{0}, {1, 1}, {7}, 1, {}, "memory:there", 1}));
    items.push_back(at(last + 2, on::checkpoints_doomed{{{7}}}));
    auto store = fresh();
    EXPECT_TRUE(store.write(items).has_value());
    row_check uut;
    for (const auto& x : items) {
      const auto* what = std::get_if<event>(&x.what);
      std::vector<command> gave;
      if (what != nullptr && what->seq == last + 2 && !stays)
        gave.push_back({what->seq, 0, what->seq, cmd::discard{{7}, "memory:there", "node-a"}});
      if (what != nullptr)
        uut.see(*what, gave);
    }
    return wrong_checkpoints(uut);
  }

private:
  std::vector<std::string> wrong_checkpoints(const row_check& uut) {
    auto from = reader();
    auto found = uut.compare(from, {});
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    std::vector<std::string> result;
    for (const auto& x : found->kept()) {
      if (x.table == "checkpoints")
        result.push_back(x.what);
    }
    return result;
  }
};

TEST_F(row_check_test, takes_a_checkpoint_for_doomed_where_it_goes) {
  EXPECT_EQ(check(on::present_draws, false), std::vector<std::string>{});
}

TEST_F(row_check_test, finds_a_checkpoint_that_is_said_to_go_and_stays) {
  EXPECT_EQ(check(on::dooms_all_named, true),
            std::vector<std::string>{R"(state is "doomed"; the log gives "good")"});
}

TEST_F(row_check_test, knows_that_earlier_heads_said_so_of_some_that_stayed) {
  EXPECT_EQ(check(on::keeps_places, true), std::vector<std::string>{});
}

} // namespace
} // namespace tune
