// What the full-screen view shows.
// SPDX-License-Identifier: BSD-3-Clause
#include "console/text.hpp"
#include "top/top_state.hpp"

#include <array>
#include <string_view>

namespace tune::cli {

namespace {

constexpr std::array<std::string_view, top_order_count> order_names{"number", "value", "iterations",
                                                                    "time", "status"};
constexpr std::array<std::string_view, top_panel_count> panel_names{"curve", "best so far", "log",
                                                                    "trial"};

tint tint_of_status(std::string_view x) {
  if (x == "RUNNING" || x == "running")
    return tint::good;
  if (x == "ERRORED" || x == "failed")
    return tint::bad;
  return x == "PAUSED" || x == "paused" ? tint::warning : tint::plain;
}

/// Columns of the list; the configuration has what is left.
struct widths {
  std::size_t trial = 6;
  std::size_t status = 10;
  std::size_t iterations = 6;
  std::size_t value = 11;
  std::size_t time = 8;
};

std::string head_of(const top_data& data, std::size_t columns) {
  const widths wide;
  return cut(pad_right("TRIAL", wide.trial) + " " + pad_right("STATUS", wide.status) + " "
                 + pad_left("ITER", wide.iterations) + " "
                 + pad_left(cut(printable(data.metric), wide.value), wide.value) + " "
                 + pad_left("TIME", wide.time) + "  CONFIGURATION",
             columns);
}

std::string row_text(const top_row& x, std::size_t columns, const style& colors) {
  const widths wide;
  const auto before = wide.trial + wide.status + wide.iterations + wide.value + wide.time + 6;
  const auto status = pad_right(cut(printable(x.status), wide.status), wide.status);
  auto text = pad_right(to_text(x.trial), wide.trial) + " ";
  text += colors.paint(tint_of_status(x.status), status) + " "
          + pad_left(std::to_string(x.iterations), wide.iterations) + " "
          + pad_left(cut(printable(x.value), wide.value), wide.value) + " "
          + pad_left(cut(printable(x.time), wide.time), wide.time);
  // A narrow screen shows no colours beyond its edge.
  if (columns <= before + 2)
    return cut(pad_right(to_text(x.trial), wide.trial) + " " + status + " "
                   + pad_left(std::to_string(x.iterations), wide.iterations) + " "
                   + pad_left(cut(printable(x.value), wide.value), wide.value),
               columns);
  return text + "  " + cut(printable(x.config), columns - before);
}

std::string title_line(const top_data& data, std::size_t columns, const style& colors) {
  const auto name = cut(printable(data.name), columns / 3);
  const auto status = cut(printable(data.status), 20);
  const auto rest = "  " + data.elapsed + "  " + data.counts;
  const auto used = display_width(name) + 2 + display_width(status);
  return colors.paint(tint::strong, name) + "  " + colors.paint(tint_of_status(data.status), status)
         + cut(printable(rest), columns > used ? columns - used : 0);
}

} // namespace

std::vector<top_line> top_state::list_lines(const style& colors) const {
  const auto columns = size_.columns;
  std::vector<top_line> result;
  result.push_back({colors.paint(tint::faint, head_of(data_, columns))});
  const auto chosen = chosen_row();
  for (std::size_t i = 0; i < list_rows(); ++i) {
    const auto row = first_ + i;
    if (row >= data_.rows.size()) {
      const auto* why = data_.status.empty()   ? "reading ..."
                        : wish_.filter.empty() ? "no trial yet"
                                               : "no trial fits";
      result.push_back({row == 0 ? why : ""});
      continue;
    }
    const auto is_chosen = chosen == row;
    result.push_back({row_text(data_.rows[row], columns, is_chosen ? style{} : colors), is_chosen});
  }
  return result;
}

std::vector<top_line> top_state::help_lines(const style& colors) const {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> keys{
      {{"up, down, j, k", "choose a trial; also page up and down, home, end"},
       {"left, right, tab", "turn the panel: curve, best so far, log, trial"},
       {"enter", "all about the trial"},
       {"s", "sort by number, value, iterations, time, status"},
       {"r", "in the opposite order"},
       {"/", "filter, as status = RUNNING and param:lr < 0.01"},
       {"escape", "no filter"},
       {"x, p, u", "stop, pause, unpause the trial; asks first"},
       {"X, P, U", "the same of the whole experiment"},
       {"a", "add a trial: NAME=VALUE ..."},
       {"?", "this help; any key leaves it"},
       {"ctrl-z", "to the shell; fg comes back"},
       {"q", "quit; the experiment goes on"},
       {"", ""}}};
  std::vector<top_line> result{{colors.paint(tint::strong, "Keys")}, {""}};
  for (const auto& [key, meaning] : keys)
    result.push_back({cut(pad_right(std::string{key}, 18) + std::string{meaning}, size_.columns)});
  return result;
}

top_line top_state::foot(const style& colors) const {
  const auto columns = size_.columns;
  if (mode_ == mode::confirm)
    return {colors.paint(tint::warning, cut(printable(question()), columns))};
  if (mode_ == mode::filter || mode_ == mode::config) {
    const std::string before = mode_ == mode::filter ? "filter: " : "add NAME=VALUE ...: ";
    auto text = printable(typed_);
    // The end is where one types.
    while (display_width(before) + display_width(text) + 1 > columns && !text.empty())
      text.erase(0, 1);
    return {before + text + "_"};
  }
  if (!message_.empty())
    return {colors.paint(tint::warning, cut(printable(message_), columns))};
  if (!data_.fault.empty())
    return {colors.paint(tint::bad, cut(printable(data_.fault), columns))};
  auto text
      = "? help  q quit  s sort: " + std::string{order_names[static_cast<std::size_t>(wish_.order)]}
        + (wish_.reversed ? ", reversed" : "") + "  / filter"
        + (wish_.filter.empty() ? "" : ": " + wish_.filter);
  if (data_.total > data_.rows.size())
    text += "  first " + std::to_string(data_.rows.size()) + " of " + std::to_string(data_.total);
  return {colors.paint(tint::faint, cut(printable(text), columns))};
}

std::vector<top_line> top_state::lines(const style& colors) const {
  const auto columns = size_.columns;
  std::vector<top_line> result{{title_line(data_, columns, colors)},
                               {cut(printable(data_.best), columns)}};
  if (mode_ == mode::help) {
    for (auto& x : help_lines(colors))
      result.push_back(std::move(x));
  } else {
    for (auto& x : list_lines(colors))
      result.push_back(std::move(x));
    const auto title = std::string{panel_names[static_cast<std::size_t>(wish_.panel)]}
                       + (data_.panel_title.empty() ? "" : ": " + data_.panel_title);
    result.push_back({colors.paint(tint::strong, cut("< " + printable(title) + " >", columns))});
    for (std::size_t i = 0; i < panel_rows(); ++i)
      result.push_back({i < data_.panel.size() ? data_.panel[i] : ""});
  }
  result.resize(size_.rows - 1);
  result.push_back(foot(colors));
  return result;
}

} // namespace tune::cli
