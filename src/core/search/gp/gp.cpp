// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/gp.hpp"

#include "tune/core/search/gp/branch.hpp"
#include "tune/core/search/gp/improvement.hpp"
#include "tune/core/search/gp/regret.hpp"
#include "tune/core/search/gp/targets.hpp"
#include "tune/core/search/learner/ranking.hpp"
#include "tune/core/search/learner/scalar.hpp"
#include "tune/core/search/learner/workbook.hpp"
#include "tune/core/search/tpe/tpe.hpp"
#include "tune/core/search/transfer/memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune::gp {

namespace {

using learning::ending;
using learning::outlook;
using learning::result;

constexpr portion predicting_portion{200, 100, 100};
/// With fewer finished results there is nothing to learn.
constexpr std::size_t least_finished = 2;
/// Trials without a result that the model takes into account, newest first.
constexpr std::size_t most_pending = 128;
constexpr std::size_t most_stopped = 64;
constexpr std::uint64_t branch_period = 4;
/// With more results than this, earlier experiments are ignored.
constexpr std::size_t most_advised = 200;
/// Configurations of earlier experiments around which candidates are sought.
constexpr std::size_t most_remembered_fits = 8;
/// From this many results on, only every other suggestion in `auto` is the model's, and turns are
/// taken by pairs.
constexpr std::size_t turns_by_pairs = 400;

bool bends(bending how, std::uint64_t number, std::size_t results) {
  auto turn = results < turns_by_pairs ? number : number / 2;
  return how == bending::always || (how == bending::in_turns && turn % 2 == 1);
}

/// The data that a suggestion of the model rests on.
class forecast {
public:
  forecast(const settings& how, const outlook& from) : how_{how}, from_{from} {
    for (const auto& x : from.past().results()) {
      if (x.how == ending::stopped)
        stopped_.push_back(x.at);
      else
        results_.push_back(x);
    }
    objectives_ = learning::objectives_of(results_);
    is_one_of_several_ = objectives_ > 1;
    if (is_one_of_several_) {
      rng chance{from.seed(), "weights of objectives", from.number()};
      results_
          = learning::as_one(std::move(results_), learning::drawn_weights(objectives_, chance));
    }
  }

  [[nodiscard]] bool suffices() const {
    return learning::ranking(results_, least_finished).size() == least_finished;
  }

  [[nodiscard]] std::optional<learning::pick> best(learning::workbook& kept) const {
    auto seen = view_by(kept);
    auto what = quest_by(seen);
    rng chance{from_.seed(), "gp", from_.number()};
    auto found = most_promising(what, chance);
    if (!found)
      return std::nullopt;
    return learning::pick{std::move(*found), origin(what.branch, seen.earlier.get())};
  }

  [[nodiscard]] explanation about(const cube_point& at, learning::workbook& kept) const {
    auto seen = view_by(kept);
    auto what = quest_by(seen);
    inputs one{from_.space()};
    one.add(at);
    std::vector<double> means;
    std::vector<double> variances;
    seen.by.predict(one, means, variances);
    auto deviation = std::sqrt(variances.front());
    explanation made;
    made.how = "the largest expected improvement of a Gaussian process"
               + (what.branch ? " within " + text_of(*what.branch) : std::string{});
    made.results = results_.size();
    if (is_one_of_several_)
      tell_of_several(made, (what.best - means.front()) / deviation);
    else
      made.expected
          = target_scale::of(results_, is_bent()).expected(means.front(), deviation, what.best);
    made.nearest = nearest(at, seen, one);
    made.details.set("transformed", is_bent());
    if (seen.earlier != nullptr)
      made.details.set("earlier", seen.earlier->text());
    return made;
  }

private:
  /// The model and the data it was made from.
  struct view {
    /// Model of the points with a result, followed by those without.
    model by;
    /// Points with a result, and the indices of these results.
    inputs at;
    std::vector<std::size_t> chosen;
    /// Forecast from earlier experiments; may be null.
    transfer::forecast_ptr earlier;
  };

  const settings& how_;
  const outlook& from_;
  std::vector<result> results_;
  std::vector<cube_point> stopped_;
  std::uint32_t objectives_ = 1;
  /// True if the results' values are weighted sums of several objectives.
  bool is_one_of_several_ = false;

  [[nodiscard]] bool is_bent() const { return bends(how_.bend, from_.number(), results_.size()); }

  [[nodiscard]] view view_by(learning::workbook& kept) const {
    auto power = is_bent();
    evidence all{&from_.space(), results_, from_.seed()};
    auto values = targets(results_, power);
    auto noise = noises(results_, power);
    auto how = believed(all, values, noise, power, kept);
    inputs at{from_.space()};
    std::vector<double> chosen_values;
    auto chosen = chosen_of(all, values, predicting_portion);
    for (auto i : chosen) {
      at.add(results_[i].at, noise[i]);
      chosen_values.push_back(values[i]);
    }
    model plain{at, std::move(chosen_values), std::move(how.logs), how.earlier};
    auto unknown = awaited();
    auto by = unknown.size() > 0 ? plain.believing(unknown) : plain;
    return {std::move(by), std::move(at), std::move(chosen), std::move(how.earlier)};
  }

  /// Explains an improvement in deviations, since a sum of several objectives has no unit.
  void tell_of_several(explanation& to, double z) const {
    rng chance{from_.seed(), "weights of objectives", from_.number()};
    value::list weights;
    for (auto x : learning::drawn_weights(objectives_, chance))
      weights.emplace_back(x);
    to.details.set("weights", std::move(weights));
    to.details.set("improvement_in_deviations", std::exp(log_improvement(z)));
  }

  /// The finished result that correlates most with a point. @param one The point alone.
  [[nodiscard]] std::optional<neighbour> nearest(const cube_point& at, const view& seen,
                                                 const inputs& one) const {
    std::optional<neighbour> found;
    auto common = seen.by.correlations(one);
    for (std::size_t k = 0; k < seen.chosen.size(); ++k) {
      const auto& x = results_[seen.chosen[k]];
      if (x.how == ending::finished && (!found || common[k] > found->correlation))
        found = neighbour{x.trial, learning::distance_between(from_.space(), x.at, at), common[k]};
    }
    // `results_` may hold sums of several objectives: take the value from the original results.
    for (const auto& x : from_.past().results()) {
      if (found && x.trial == found->trial)
        found->value = -x.value;
    }
    return found;
  }

  /// A kernel, and the forecast from earlier experiments; null: none.
  struct belief {
    kernel_logs logs;
    transfer::forecast_ptr earlier = {};
  };

  [[nodiscard]] belief believed(const evidence& all, const std::vector<double>& values,
                                const std::vector<double>& noise, bool power,
                                learning::workbook& kept) const {
    // Each draw of weights makes other targets, so there is no earlier kernel to start from.
    if (is_one_of_several_)
      return {kernel_from_nowhere(all, power)};
    belief cold{kept.kernels.kernel_for(all, power)};
    if (from_.earlier() == nullptr || results_.size() > most_advised)
      return cold;
    inputs at{from_.space()};
    for (std::size_t i = 0; i < results_.size(); ++i)
      at.add(results_[i].at, noise[i]);
    auto warm = from_.earlier()->expected(at, values, power, kept.sources);
    if (warm == nullptr)
      return cold;
    auto with = all;
    with.earlier = from_.earlier();
    with.sources = &kept.sources;
    auto logs = kept.kernels.kernel_for(with, power);
    auto prior = kernel_prior::of(from_.space().mean_active());
    auto is_believed = pays(warm, {at, values, prior, cold.logs, logs});
    return is_believed ? belief{std::move(logs), std::move(warm)} : cold;
  }

  [[nodiscard]] inputs awaited() const {
    inputs made{from_.space()};
    auto add_newest = [&](const std::vector<cube_point>& points, std::size_t most) {
      for (auto i = points.size() - std::min(most, points.size()); i < points.size(); ++i)
        made.add(points[i]);
    };
    add_newest(stopped_, most_stopped);
    add_newest(from_.pending(most_pending), most_pending);
    return made;
  }

  [[nodiscard]] std::optional<fixed_axis> branch() const {
    if (!how_.branch_steps || from_.number() % branch_period != 0)
      return std::nullopt;
    auto axis = branching_axis(from_.space());
    return axis ? std::optional{neglected_branch(from_.space(), *axis, results_)} : std::nullopt;
  }

  [[nodiscard]] std::string text_of(const fixed_axis& only) const {
    const auto& space = from_.space();
    return space.parameter_of(only.axis).name + " = " + to_text(space.at(only.axis).at(only.at));
  }

  [[nodiscard]] std::string origin(const std::optional<fixed_axis>& only,
                                   const transfer::forecast* earlier) const {
    auto result = "gp" + (earlier == nullptr ? "" : " + " + earlier->text());
    return only ? result + ": " + text_of(*only) : result;
  }

  /// @param by Must outlive the answer.
  [[nodiscard]] quest quest_by(const view& by) const {
    quest what;
    what.space = &from_.space();
    what.by = &by.by;
    what.branch = branch();
    what.is_taken = [this](const cube_point& x) { return from_.is_taken(x); };
    look_around(what, by.at, by.chosen);
    if (by.earlier != nullptr)
      what.elsewhere = remembered(*by.earlier);
    return what;
  }

  /// The best configurations of the experiments that the forecast is based on.
  [[nodiscard]] std::vector<cube_point> remembered(const transfer::forecast& earlier) const {
    std::vector<cube_point> result;
    auto most = std::max<std::size_t>(1, most_remembered_fits / earlier.parts().size());
    for (const auto& x : earlier.parts()) {
      const auto& source = from_.earlier()->sources()[x.source];
      for (auto i : learning::ranking(source.results, most))
        result.push_back(source.results[i].at);
    }
    return result;
  }

  /// Orders known points by the model's mean: first those that finished and meet their constraints,
  /// then the others.
  void look_around(quest& what, const inputs& at, const std::vector<std::size_t>& chosen) const {
    std::vector<double> means;
    std::vector<double> variances;
    what.by->predict(at, means, variances);
    auto missed = learning::violations(results_);
    struct known {
      std::size_t index;
      bool good;
      double mean;
    };
    std::vector<known> all;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      auto i = chosen[k];
      all.push_back({i, results_[i].how == ending::finished && missed[i] == 0, means[k]});
    }
    std::stable_sort(all.begin(), all.end(), [](const known& a, const known& b) {
      return a.good != b.good ? a.good : a.mean < b.mean;
    });
    what.best = all.front().mean;
    auto found_inside = false;
    for (const auto& x : all) {
      const auto& point = results_[x.index].at;
      what.around.push_back(point);
      if (!what.branch || std::abs(point[what.branch->axis] - what.branch->at) > 1e-9)
        continue;
      what.inside.push_back(point);
      if (x.good && !std::exchange(found_inside, true))
        what.best = x.mean;
    }
  }
};

} // namespace

std::optional<learning::pick> gp_rule::next(const outlook& from, learning::workbook& kept) const {
  forecast all{how_, from};
  return all.suffices() ? all.best(kept) : std::nullopt;
}

std::optional<explanation> gp_rule::explain(const outlook& from, const learning::pick& what,
                                            learning::workbook& kept) const {
  if (!what.origin.starts_with("gp"))
    return tpe::tpe_rule{{}}.explain(from, what, kept);
  forecast all{how_, from};
  return all.suffices() ? std::optional{all.about(what.at, kept)} : std::nullopt;
}

std::optional<double> gp_rule::regret_bound(const outlook& from, learning::workbook& kept) const {
  return gp::regret_bound(from, kept.kernels);
}

std::optional<learning::pick> gp_rule::sketch(const outlook& from) const {
  return tpe::tpe_rule{{}}.sketch(from);
}

} // namespace tune::gp
