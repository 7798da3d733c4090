// SPDX-License-Identifier: BSD-3-Clause
#include "plot/text_chart.hpp"

#include "console/text.hpp"
#include "plot/text_canvas.hpp"

#include <langinfo.h>
#include <locale.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tune::cli {

namespace {

tint tint_of(chart_ink x) {
  switch (x) {
    case chart_ink::first:
      return tint::accent;
    case chart_ink::faint:
      return tint::faint;
    case chart_ink::good:
      return tint::good;
    case chart_ink::cut:
      return tint::warning;
    case chart_ink::bad:
      return tint::bad;
    case chart_ink::second:
      break;
  }
  return tint::strong;
}

/// The place of a point on the canvas.
class field {
public:
  field(const chart& what, text_canvas& on) : what_{what}, on_{on} {}

  void draw() {
    for (const auto& x : what_.series)
      draw(x);
  }

private:
  const chart& what_;
  text_canvas& on_;

  struct spot {
    std::int64_t x = 0;
    std::int64_t y = 0;
    bool is_there = false;
  };

  [[nodiscard]] spot spot_of(const point& from) const {
    const auto x = place_on(what_.x, from.first), y = place_on(what_.y, from.second);
    if (!(std::abs(x) < 100) || !(std::abs(y) < 100))
      return {};
    return {std::llround(x * static_cast<double>(on_.width() - 1)),
            std::llround((1 - y) * static_cast<double>(on_.height() - 1)), true};
  }

  void draw(const chart_series& x) {
    using form = chart_series::form;
    const auto color = tint_of(x.ink);
    if (x.what == form::spans)
      return draw_spans(x, color);
    spot last;
    for (const auto& each : x.points) {
      const auto here = spot_of(each);
      if (x.what == form::dots && here.is_there)
        on_.dot(here.x, here.y, color);
      else if ((x.what == form::crosses || x.what == form::bars) && here.is_there)
        on_.sign(here.x, here.y, x.what == form::bars ? '|' : 'x', color);
      else if (here.is_there && (x.what == form::line || x.what == form::steps))
        join(x.what == form::steps, last, here, color);
      last = here;
    }
  }

  void join(bool stepped, const spot& last, const spot& here, tint color) {
    if (!last.is_there)
      return on_.dot(here.x, here.y, color);
    if (!stepped)
      return on_.line(last.x, last.y, here.x, here.y, color);
    on_.line(last.x, last.y, here.x, last.y, color);
    on_.line(here.x, last.y, here.x, here.y, color);
  }

  void draw_spans(const chart_series& x, tint color) {
    for (std::size_t i = 0; i + 1 < x.points.size(); i += 2) {
      const auto from = spot_of(x.points[i]), to = spot_of(x.points[i + 1]);
      if (!from.is_there || !to.is_there)
        continue;
      on_.line(from.x, from.y, to.x, to.y, color);
      // Bars of names are thick, and lie within the line of their name.
      const auto next = from.y % on_.dots_down() == on_.dots_down() - 1 ? -1 : 1;
      if (!what_.y.names.empty())
        on_.line(from.x, from.y + next, to.x, to.y + next, color);
    }
  }
};

/// Where the parts of a chart stand.
struct layout {
  std::size_t left = 0;
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::vector<chart_tick> y_ticks;
};

/// The names of the series, as many in a line as there is room for. [>= 1]
std::vector<std::string> legend_lines(const chart& what, const style& colors, std::size_t room) {
  const std::string gap(3, ' ');
  std::vector<std::string> result(1);
  for (const auto& x : what.series) {
    if (x.name.empty())
      continue;
    const auto* sign = x.what == chart_series::form::crosses ? "x "
                       : x.what == chart_series::form::bars  ? "| "
                                                             : "· ";
    const auto text = cut(sign + printable(x.name), room);
    const auto used = display_width(result.back());
    if (used > 0 && used + gap.size() + display_width(text) > room)
      result.emplace_back();
    result.back() += (result.back().empty() ? "" : gap) + colors.paint(tint_of(x.ink), text);
  }
  return result;
}

layout layout_of(const chart& what, const text_chart_look& look) {
  layout result;
  const auto all = std::max<std::size_t>(20, look.columns);
  const auto lines = std::max<std::size_t>(6, look.lines);
  // Title, the axis, its ticks, its label.
  result.rows = lines - (what.title.empty() ? 0 : 1) - (what.x.hidden ? 1 : 3);
  // Names need one line each, and no more.
  if (!what.y.names.empty())
    result.rows = std::min(result.rows, std::max<std::size_t>(2, what.y.names.size()));
  result.y_ticks = ticks_of(what.y, what.y.names.empty() ? std::max<std::size_t>(2, result.rows / 3)
                                                         : result.rows);
  const auto widest = all / 3;
  for (auto& x : result.y_ticks) {
    x.text = cut(printable(x.text), widest);
    result.left = std::max(result.left, display_width(x.text));
  }
  result.columns = all - result.left - 2;
  // A legend of several lines takes their room from the field.
  const auto more = what.x.hidden ? 0 : legend_lines(what, {}, result.columns).size() - 1;
  result.rows = std::max<std::size_t>(2, result.rows - std::min(result.rows, more));
  return result;
}

/// The line of a value; nothing if it is not shown.
std::optional<std::size_t> line_at(const chart_axis& axis, double at, const text_canvas& on) {
  const auto place = place_on(axis, at);
  if (!(place > -1e-9) || !(place < 1 + 1e-9))
    return std::nullopt;
  const auto dot
      = std::lround((1 - std::clamp(place, 0.0, 1.0)) * static_cast<double>(on.height() - 1));
  return static_cast<std::size_t>(dot / on.dots_down());
}

std::vector<std::string> left_texts(const chart& what, const layout& places,
                                    const text_canvas& on) {
  std::vector<std::string> result(places.rows);
  for (const auto& tick : places.y_ticks) {
    auto row = line_at(what.y, tick.at, on);
    if (row && result[*row].empty())
      result[*row] = tick.text;
  }
  return result;
}

/// The texts below the axis, each centred at its value where it fits.
std::string below(const chart& what, const layout& places, const text_chart_look& look,
                  std::string& marks) {
  const auto most = std::max<std::size_t>(2, places.columns / 12);
  std::string result;
  std::size_t used = 0;
  for (const auto& tick : ticks_of(what.x, what.x.names.empty() ? most : places.columns / 4)) {
    const auto place = place_on(what.x, tick.at);
    if (!(place > -1e-9) || !(place < 1 + 1e-9))
      continue;
    const auto column = static_cast<std::size_t>(
        std::lround(std::clamp(place, 0.0, 1.0) * static_cast<double>(places.columns - 1)));
    const auto text = cut(printable(tick.text), std::min<std::size_t>(14, places.columns));
    const auto width = display_width(text);
    auto from = column > width / 2 ? column - width / 2 : 0;
    from = std::min(from, places.columns > width ? places.columns - width : 0);
    if (used > 0 && from < used + 1)
      continue;
    result += std::string(from - used, ' ') + text;
    used = from + width;
    if (!look.is_unicode && column < marks.size())
      marks[column] = '+';
  }
  return result;
}

std::string level_line(std::size_t columns, bool is_unicode) {
  std::string result;
  for (std::size_t i = 0; i < columns; ++i)
    result += is_unicode ? "─" : "-";
  return result;
}

void add_axis(const chart& what, const layout& places, const text_chart_look& look,
              std::vector<std::string>& to) {
  const std::string blank(places.left, ' ');
  auto marks = level_line(places.columns, look.is_unicode);
  const auto texts = below(what, places, look, marks);
  const auto corner = look.is_unicode ? "└" : "+";
  to.push_back(look.colors.paint(tint::faint, blank + " " + corner + marks));
  if (what.x.hidden)
    return;
  to.push_back(blank + "  " + texts);
  const auto room = places.columns;
  const auto legend = legend_lines(what, look.colors, room);
  for (const auto& line : legend)
    to.push_back(blank + "  " + line);
  const auto taken = display_width(legend.back());
  auto label = printable(what.x.label);
  if (taken + display_width(label) + 3 > room)
    label = cut(label, room > taken + 3 ? room - taken - 3 : 0);
  const auto used = display_width(label) + taken;
  if (!label.empty())
    to.back()
        += std::string(room > used ? room - used : 1, ' ') + look.colors.paint(tint::faint, label);
}

/// What ASCII does not have is told by what it has.
std::string in_ascii(std::string text) {
  for (const auto& [from, to] : {std::pair{"·", "."}, std::pair{"…", "~"}}) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at))
      text.replace(at, std::string_view{from}.size(), to);
  }
  std::string result;
  for (auto c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // One sign for each character of several bytes.
    if (byte < 0x80 || byte >= 0xC0)
      result += byte < 0x80 ? c : '?';
  }
  return result;
}

} // namespace

std::vector<std::string> draw_text(const chart& what, const text_chart_look& look) {
  const auto places = layout_of(what, look);
  text_canvas canvas{places.columns, places.rows, look.is_unicode};
  field{what, canvas}.draw();
  std::vector<std::string> result;
  const auto all = std::max<std::size_t>(20, look.columns);
  if (!what.title.empty())
    result.push_back(look.colors.paint(tint::strong, cut(printable(what.title), all)));
  const auto left = left_texts(what, places, canvas);
  const auto bar = look.is_unicode ? "│" : "|";
  for (std::size_t i = 0; i < places.rows; ++i)
    result.push_back(pad_left(left[i], places.left) + " " + look.colors.paint(tint::faint, bar)
                     + canvas.text(i, look.colors));
  add_axis(what, places, look, result);
  for (const auto& note : what.notes) {
    for (auto& line : wrapped(printable(note), all))
      result.push_back(look.colors.paint(tint::faint, line));
  }
  for (auto& line : result)
    line = look.is_unicode ? line : in_ascii(std::move(line));
  return result;
}

bool locale_is_unicode() {
  const auto own = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (own == nullptr)
    return false;
  const std::string_view codes = ::nl_langinfo_l(CODESET, own);
  const auto result = codes == "UTF-8" || codes == "utf8";
  ::freelocale(own);
  return result;
}

} // namespace tune::cli
