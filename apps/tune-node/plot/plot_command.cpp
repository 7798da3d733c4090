// SPDX-License-Identifier: BSD-3-Clause
#include "plot/plot_command.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "output/write_file.hpp"
#include "plot/svg_chart.hpp"
#include "view/views.hpp"

#include <ostream>

namespace tune::cli {

namespace {

std::string_view across_text(chart_across x) {
  return x == chart_across::time ? "time" : x == chart_across::cost ? "cost" : "iteration";
}

svg_size size_for(const plot_request& what) {
  svg_size result;
  result.width = what.width.value_or(result.width);
  result.height = what.height.value_or(result.height);
  return result;
}

} // namespace

view_request view_request_for(const plot_request& what, const std::string& experiment) {
  view_request result{{"experiments", experiment, std::string{part_for(what.wish.what)}}, {}};
  if (!what.metric.empty())
    result.query.emplace("metric", what.metric);
  if (what.wish.what == chart_kind::curves) {
    result.query.emplace("x", across_text(what.wish.across));
    result.query.emplace("trials", std::to_string(what.trials));
  }
  return result;
}

expected<void> plot_experiment(const plot_request& what, text_chart_look look, std::ostream& out) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return directory.error();
  views from{*directory};
  auto answer = from.answer(view_request_for(what, from.names().front()));
  if (const auto* fault = std::get_if<view_fault>(&answer))
    return error{ec::unreadable, what.directory + ": " + fault->detail};
  auto drawn = make_chart(what.wish, *std::get<value>(answer).as_object());
  if (!drawn)
    return error{drawn.error().code, what.directory + ": " + drawn.error().detail};
  if (!what.file.empty())
    return write_file(what.file, draw_svg(*drawn, size_for(what)));
  look.columns = what.width.value_or(look.columns);
  look.lines = what.height.value_or(look.lines);
  look.is_unicode = look.is_unicode && !what.is_ascii;
  for (const auto& line : draw_text(*drawn, look))
    out << line << '\n';
  return {};
}

} // namespace tune::cli
