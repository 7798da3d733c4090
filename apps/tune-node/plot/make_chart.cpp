// SPDX-License-Identifier: BSD-3-Clause
#include "plot/make_chart.hpp"

#include "plot/answers.hpp"

#include <array>

namespace tune::cli {

std::string_view to_text(chart_kind x) {
  constexpr std::array<std::string_view, 8> names{"history", "curves", "importance", "parallel",
                                                  "slice",   "pareto", "rungs",      "timeline"};
  return names[static_cast<std::size_t>(x)];
}

std::string_view part_for(chart_kind x) {
  return x == chart_kind::slice ? "parallel" : to_text(x);
}

bool can_be_across(chart_kind what, chart_across across) {
  using enum chart_across;
  if (across == automatic)
    return true;
  if (what == chart_kind::history)
    return across == time || across == trial;
  return what == chart_kind::curves && across != trial;
}

expected<chart> make_chart(const chart_wish& wish, const object& answer) {
  using namespace answers;
  switch (wish.what) {
    case chart_kind::history:
      return history_chart(wish, answer);
    case chart_kind::curves:
      return curves_chart(wish, answer);
    case chart_kind::importance:
      return importance_chart(wish, answer);
    case chart_kind::parallel:
      return parallel_chart(answer);
    case chart_kind::slice:
      return slice_chart(wish, answer);
    case chart_kind::pareto:
      return pareto_chart(wish, answer);
    case chart_kind::rungs:
      return rungs_chart(wish, answer);
    case chart_kind::timeline:
      break;
  }
  return timeline_chart(answer);
}

} // namespace tune::cli
