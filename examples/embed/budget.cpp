// SPDX-License-Identifier: BSD-3-Clause
#include "budget.hpp"

namespace embed {

using namespace tune;

std::optional<stop_verdict> budget::see(const report& what) {
  auto cost = metric_number(what, metric_).value_or(0);
  spent_ += cost > 0 ? cost : 0;
  if (spent_ < most_)
    return std::nullopt;
  return stop_verdict{stop_verdict::reach::experiment, "the budget of " + metric_ + " is spent"};
}

std::vector<needed_metric> budget::needs() const {
  return {{"", metric_, "nothing is spent"}};
}

stopper_catalogue::entry budget_entry() {
  option_spec metric{"metric", option_kind::text, "time_this_iter_s"};
  metric.meaning = "what is summed up over all reports";
  option_spec most{"most", option_kind::number, "", 0};
  most.meaning = "the sum at which the experiment ends; needed";
  return {"budget",
          "ends the experiment once a metric has come to a sum",
          "",
          {metric, most},
          [](const options& with, const stopper_context&) -> expected<std::unique_ptr<stopper>> {
            if (!with.has("most"))
              return error{ec::bad_option, "most is missing"};
            return {std::make_unique<budget>(with.text("metric"), with.number("most"))};
          }};
}

} // namespace embed
