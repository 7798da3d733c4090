// Drafts drawn at once while another thread works a proposal out. Built with the preset `tsan`, the
// test shows that both share only constant data.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/search/repeat/repeater.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <latch>
#include <thread>

namespace {

using namespace tune;
using namespace tune::support;

/// A searcher, and the experiment that it searches for.
struct form {
  std::string name;
  std::string searcher;
  std::vector<parameter_text> space;
  std::map<std::string, std::string> written = {};
  std::uint32_t objectives = 1;
  std::uint32_t constraints = 0;
  std::size_t earlier = 0;
  std::uint32_t runs = 1;
};

const std::vector<parameter_text> floats{
    {"x", "uniform(-1, 1)"}, {"y", "uniform(-1, 1)"}, {"lr", "loguniform(1e-5, 1)"}};
const std::vector<parameter_text> conditional{{"kind", "choice(sgd, adam, none)"},
                                              {"momentum", "uniform(0, 1) if kind == sgd"},
                                              {"n", "lograndint(1, 1000)"},
                                              {"z", "uniform(0, 1) if n > 30"}};
const std::vector<parameter_text> constrained{
    {"x", "uniform(-1, 1)"}, {"y", "uniform(-1, 1)"}, {"constraint", "x + y < 0.5"}};
const std::vector<parameter_text> ranges{
    {"a", "lograndint(1, 64)"}, {"b", "randint(1, {a} + 1)"}, {"u", "uniform(0, 1)"}};
const std::vector<parameter_text> lists{
    {"p", "permutation(a, b, c, d)"}, {"s", "subset(a, b, c, d, e)"}, {"u", "uniform(0, 1)"}};

const std::vector<form> forms{
    {"auto_floats", "auto", floats},
    {"auto_conditional", "auto", conditional},
    {"auto_constrained_space", "auto", constrained},
    {"auto_ranges", "auto", ranges},
    {"auto_lists", "auto", lists},
    {"auto_warm", "auto", floats, {}, 1, 0, 2},
    {"auto_warm_conditional", "auto", conditional, {}, 1, 0, 3},
    {"auto_several", "auto", floats, {}, 2},
    {"auto_constraints", "auto", conditional, {}, 1, 2},
    {"auto_ending", "auto", floats, {{"regret_below", "1e-9"}}},
    {"auto_repeated", "auto", floats, {}, 1, 0, 0, 3},
    {"auto_warm_repeated", "auto", floats, {}, 1, 0, 2, 2},
    {"gp_conditional", "gp", conditional},
    {"gp_warm", "gp", floats, {}, 1, 0, 2},
    {"gp_several_constraints", "gp", floats, {}, 2, 1},
    {"gp_ending_warm", "gp", floats, {{"regret_below", "1e-9"}}, 1, 0, 2},
    {"screen", "auto", conditional, {{"partial", "true"}}},
    {"screen_warm", "auto", floats, {{"partial", "true"}}, 1, 0, 2},
    {"screen_constraints", "auto", floats, {{"partial", "true"}}, 1, 1},
    {"screen_repeated", "auto", floats, {{"partial", "true"}}, 1, 0, 0, 2},
    {"bohb", "bohb", conditional},
};

/// Smooth in the numbers of a configuration, so that earlier experiments agree with later ones.
double score(const object& config, double phase) {
  double result = 0;
  for (const auto& [name, x] : config) {
    if (auto number = x.number(); number && name != "seed")
      result -= std::abs(std::sin(std::log1p(std::abs(*number)) + phase));
  }
  return result;
}

earlier_experiment earlier_by(const search_space& space, std::uint64_t number) {
  earlier_experiment result{"results/" + std::to_string(number), {}};
  rng chance{number, "earlier", 0};
  for (std::uint64_t i = 0; i < 30; ++i) {
    auto config = space.assemble(space.draw(chance));
    auto value = score(config, 0.1);
    result.trials.push_back({trial_id{i}, std::move(config), value, {}});
  }
  return result;
}

/// One searcher that proposes on two threads, and a twin that proposes on one.
class pair_of {
public:
  explicit pair_of(const form& how) : how_{how}, uut_{make()}, twin_{make()} {}

  /// Asks for a trial, and applies the answer. @returns whether there was one.
  bool begin_trial(drafting drafts) { return begin(question(drafts)); }

  void report_oldest() {
    if (!open_.empty())
      tell(open_.front(), outcome::running);
  }

  void end_oldest() {
    if (open_.empty())
      return;
    auto trial = open_.front();
    open_.pop_front();
    tell(trial, trial.id.number % 7 == 3    ? outcome::stopped
                : trial.id.number % 11 == 5 ? outcome::failed
                                            : outcome::completed);
  }

  /// Has a proposal worked out, on another thread, and meanwhile draws others at once.
  /// @returns whether the searcher has put the proposal off.
  bool think() {
    auto asked = question(drafting::thorough);
    auto job = uut_->propose_later(asked);
    if (!job)
      return begin(asked);
    ++asks_;
    ++jobs_;
    auto expected = shown(twin_->propose(asked));
    std::string said;
    std::latch begin{2};
    std::thread other{[&] {
      begin.arrive_and_wait();
      said = shown(job());
    }};
    begin.arrive_and_wait();
    // Their number varies, so that models and densities take turns in what is put off.
    for (int i = 0; i < 3 + jobs_ % 4; ++i)
      do_meanwhile(i);
    other.join();
    EXPECT_EQ(said, expected);
    return true;
  }

  [[nodiscard]] int jobs() const { return jobs_; }
  [[nodiscard]] int sketches() const { return sketches_; }

private:
  struct open_trial {
    trial_id id;
    config_ptr config;
    std::uint64_t fidelity = 0;
  };

  form how_;
  std::unique_ptr<searcher> uut_;
  std::unique_ptr<searcher> twin_;
  std::deque<open_trial> open_;
  std::uint64_t asks_ = 0;
  std::uint64_t trials_ = 0;
  sequence seq_ = 0;
  int jobs_ = 0;
  int sketches_ = 0;

  [[nodiscard]] std::unique_ptr<searcher> make() const {
    searcher_context about{space_of(how_.space), 7, 0, how_.objectives, {}, how_.constraints};
    for (std::size_t i = 0; i < how_.earlier; ++i)
      about.earlier.push_back(earlier_by(*about.space, i + 1));
    auto made = make_searcher(how_.searcher, about, how_.written);
    EXPECT_TRUE(made) << made.error().detail;
    if (!made || how_.runs == 1)
      return made ? std::move(*made) : nullptr;
    return std::make_unique<repeater>(std::move(*made), repeat_rule{how_.runs}, 0);
  }

  [[nodiscard]] static std::string shown(const proposal& what) {
    if (const auto* end = std::get_if<exhausted>(&what))
      return end->why;
    const auto* list = std::get_if<std::vector<suggestion>>(&what);
    std::string result;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
      result += to_text(value{*(*list)[i].config}) + " by " + (*list)[i].origin + '\n';
    return result;
  }

  [[nodiscard]] ask question(drafting drafts) const {
    return {asks_ + 1, 1, seq_, how_.runs == 1 ? drafts : drafting::none};
  }

  bool begin(const ask& question) {
    auto answer = uut_->propose(question);
    EXPECT_EQ(shown(answer), shown(twin_->propose(question)));
    apply(suggested_fact{++asks_, answer, trial_id{trials_}});
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    if (list == nullptr)
      return false;
    for (const auto& x : *list)
      open_.push_back({trial_id{trials_++}, x.config});
    return true;
  }

  void do_meanwhile(int step) {
    if (uut_->traits().sketches)
      sketches_ += begin_trial(drafting::quick);
    if (step % 3 == 0)
      end_oldest();
    else
      report_oldest();
  }

  void tell(open_trial& trial, outcome how) {
    ++trial.fidelity;
    auto lineage = static_cast<lineage_id>(trial.id.number + 1);
    observation what{trial.id, trial.config, lineage, trial.fidelity, {}, {}, how};
    for (std::uint32_t i = 0; i < how_.objectives; ++i)
      what.values.push_back(score(*trial.config, i + 1.0 / static_cast<double>(trial.fidelity)));
    for (std::uint32_t i = 0; i < how_.constraints; ++i)
      what.constraints.push_back(1.5 + score(*trial.config, 3 + i));
    apply(std::move(what));
  }

  template <class T>
  void apply(T what) {
    searcher_fact fact{++seq_, std::move(what)};
    uut_->apply(fact);
    twin_->apply(fact);
  }
};

class sketching : public testing::TestWithParam<form> {};

TEST_P(sketching, changes_nothing_that_another_thread_works_out) {
  pair_of uut{GetParam()};
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(uut.begin_trial(drafting::thorough));
    uut.report_oldest();
    if (i >= 3)
      uut.end_oldest();
  }
  for (int i = 0; i < 12; ++i)
    ASSERT_TRUE(uut.think());

  EXPECT_GE(uut.jobs(), GetParam().runs == 1 ? 5 : 3);
  EXPECT_EQ(uut.sketches() > 0, GetParam().runs == 1);
}

INSTANTIATE_TEST_SUITE_P(all, sketching, testing::ValuesIn(forms),
                         [](const auto& x) { return x.param.name; });

} // namespace
