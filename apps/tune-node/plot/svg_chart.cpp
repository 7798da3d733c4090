// SPDX-License-Identifier: BSD-3-Clause
#include "plot/svg_chart.hpp"

#include "console/text.hpp"
#include "report/html.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace tune::cli {

namespace {

/// The look of all charts: colours that people with any kind of colour vision tell apart.
constexpr std::string_view style_sheet = R"(
  svg { background: #ffffff; color: #1c2128; font-family: system-ui, sans-serif; font-size: 12px }
  text { fill: currentColor } .quiet { fill: #5b6470 } .grid { stroke: #edeff2 }
  .axis { stroke: #7f8893 } .title { font-weight: 600; font-size: 14px }
  .line { fill: none; stroke-width: 1.6; stroke-linejoin: round } .span { stroke-width: 6 }
  .first { stroke: #1f6fb4; --fill: #1f6fb4 } .second { stroke: #1c2128; --fill: #1c2128 }
  .faint { stroke: #aab2bd; --fill: #aab2bd } .good { stroke: #007f5f; --fill: #007f5f }
  .cut { stroke: #c75300; --fill: #c75300 } .bad { stroke: #b3261e; --fill: #b3261e }
  .dots { fill: var(--fill); stroke: none; fill-opacity: 0.7 }
  .crosses, .bars { fill: none; stroke-width: 1.4 }
  @media (prefers-color-scheme: dark) {
    svg { background: #171b21; color: #dfe4ea } .quiet { fill: #9aa4b1 } .grid { stroke: #232931 }
    .first { stroke: #58a6e8; --fill: #58a6e8 } .second { stroke: #dfe4ea; --fill: #dfe4ea }
    .faint { stroke: #59626e; --fill: #59626e } .good { stroke: #35b894; --fill: #35b894 }
    .cut { stroke: #ef8a45; --fill: #ef8a45 } .bad { stroke: #f2776d; --fill: #f2776d }
  }
)";

std::string_view class_of(chart_ink x) {
  constexpr std::array<std::string_view, 6> names{"first", "faint", "good", "cut", "bad", "second"};
  return names[static_cast<std::size_t>(x)];
}

/// A tenth of a pixel is enough.
std::string figure(double x) {
  std::array<char, 32> text{};
  const auto size = std::snprintf(text.data(), text.size(), "%.1f", x);
  std::string result{text.data(), static_cast<std::size_t>(size)};
  return result.ends_with(".0") ? result.substr(0, result.size() - 2) : result;
}

std::string attribute(std::string_view name, double x) {
  return " " + std::string{name} + "=\"" + figure(x) + "\"";
}

std::string text_mark(double x, double y, std::string_view anchor, std::string_view name,
                      std::string_view text) {
  return "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" + std::string{anchor}
         + "\" class=\"" + std::string{name} + "\">" + html_text(text) + "</text>\n";
}

std::string line_at(double x, double y, double to_x, double to_y, std::string_view name) {
  return "<line" + attribute("x1", x) + attribute("y1", y) + attribute("x2", to_x)
         + attribute("y2", to_y) + " class=\"" + std::string{name} + "\"/>\n";
}

/// The rectangle between the axes.
struct box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

class svg_writer {
public:
  svg_writer(const chart& what, svg_size size) : what_{what}, size_{size} {
    std::size_t widest = 0;
    y_ticks_ = ticks_of(what.y, what.y.names.empty() ? size.height / 60 : size.height / 16);
    for (auto& x : y_ticks_) {
      x.text = cut(printable(x.text), 28);
      widest = std::max(widest, display_width(x.text));
    }
    box_ = {18 + 7.4 * static_cast<double>(widest), what.title.empty() ? 14.0 : 34.0,
            static_cast<double>(size.width) - 18, static_cast<double>(size.height) - 44};
  }

  std::string write() {
    const auto wide = std::to_string(size_.width), high = std::to_string(size_.height);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + wide + "\" height=\"" + high
           + "\" viewBox=\"0 0 " + wide + " " + high + "\" role=\"img\">\n<title>"
           + html_text(what_.title) + "</title>\n<style>" + std::string{style_sheet}
           + "</style>\n<clipPath id=\"box\"><rect" + attribute("x", box_.left - 4)
           + attribute("y", box_.top - 4) + attribute("width", box_.right - box_.left + 8)
           + attribute("height", box_.bottom - box_.top + 8) + "/></clipPath>\n";
    if (!what_.title.empty())
      out_ += text_mark(box_.left, 20, "start", "title", what_.title);
    axes();
    out_ += "<g clip-path=\"url(#box)\">\n";
    for (const auto& x : what_.series)
      series(x);
    out_ += "</g>\n";
    legend();
    return out_ + "</svg>\n";
  }

private:
  const chart& what_;
  svg_size size_;
  box box_;
  std::vector<chart_tick> y_ticks_;
  std::string out_;

  [[nodiscard]] double x_of(double x) const {
    return box_.left + place_on(what_.x, x) * (box_.right - box_.left);
  }
  [[nodiscard]] double y_of(double y) const {
    return box_.bottom - place_on(what_.y, y) * (box_.bottom - box_.top);
  }
  /// Far outside is left out, as infinite values are.
  [[nodiscard]] static bool is_there(double x, double y) {
    return std::abs(x) < 1e5 && std::abs(y) < 1e5;
  }

  void axes() {
    for (const auto& tick : y_ticks_) {
      const auto y = y_of(tick.at);
      if (!(y > box_.top - 1) || !(y < box_.bottom + 1))
        continue;
      out_ += line_at(box_.left, y, box_.right, y, "grid");
      out_ += text_mark(box_.left - 6, y + 4, "end", "quiet", tick.text);
    }
    out_ += line_at(box_.left, box_.bottom, box_.right, box_.bottom, "axis");
    for (const auto& tick : ticks_of(what_.x, std::max<std::size_t>(2, size_.width / 100))) {
      const auto x = x_of(tick.at);
      if (!(x > box_.left - 1) || !(x < box_.right + 1))
        continue;
      out_ += line_at(x, box_.bottom, x, box_.bottom + 4, "axis");
      out_ += text_mark(x, box_.bottom + 17, "middle", "quiet", cut(printable(tick.text), 16));
    }
    const auto foot = static_cast<double>(size_.height) - 8;
    out_ += text_mark(box_.right, foot, "end", "quiet", cut(printable(what_.x.label), 60));
    if (!what_.y.label.empty())
      out_ += text_mark(4, foot, "start", "quiet", "↑ " + cut(printable(what_.y.label), 60));
  }

  void series(const chart_series& x) {
    using form = chart_series::form;
    const std::string ink{class_of(x.ink)};
    if (x.what == form::dots)
      return dots(x, ink);
    const auto kind = x.what == form::crosses ? "crosses"
                      : x.what == form::bars  ? "bars"
                      : x.what == form::spans ? "line span"
                                              : "line";
    out_ += "<path class=\"" + std::string{kind} + " " + ink + "\" d=\"";
    auto is_down = false;
    auto last = 0.0;
    for (std::size_t i = 0; i < x.points.size(); ++i) {
      const auto px = x_of(x.points[i].first), py = y_of(x.points[i].second);
      if (!is_there(px, py)) {
        is_down = false;
        continue;
      }
      if (x.what == form::crosses)
        out_ += "M" + figure(px - 3) + " " + figure(py - 3) + "l6 6m-6 0l6 -6";
      else if (x.what == form::bars)
        out_ += "M" + figure(px) + " " + figure(py - 4) + "v8";
      else if (x.what == form::spans)
        out_ += (i % 2 == 0 ? "M" : "L") + figure(px) + " " + figure(py);
      else
        to(px, py, x.what == form::steps ? std::optional{last} : std::nullopt, is_down);
      is_down = true;
      last = py;
    }
    out_ += "\"/>\n";
  }

  void to(double x, double y, std::optional<double> level, bool is_down) {
    if (!is_down)
      out_ += "M" + figure(x) + " " + figure(y);
    else if (level)
      out_ += "L" + figure(x) + " " + figure(*level) + "L" + figure(x) + " " + figure(y);
    else
      out_ += "L" + figure(x) + " " + figure(y);
  }

  void dots(const chart_series& x, const std::string& ink) {
    out_ += "<g class=\"dots " + ink + "\">";
    for (const auto& [at, value] : x.points) {
      const auto px = x_of(at), py = y_of(value);
      if (is_there(px, py))
        out_ += "<circle" + attribute("cx", px) + attribute("cy", py) + " r=\"2.4\"/>";
    }
    out_ += "</g>\n";
  }

  void legend() {
    auto x
        = box_.left
          + (what_.title.empty() ? 0 : 24 + 8.8 * static_cast<double>(display_width(what_.title)));
    for (const auto& each : what_.series) {
      if (each.name.empty())
        continue;
      const auto ink = std::string{class_of(each.ink)};
      if (each.what == chart_series::form::crosses)
        out_ += "<path class=\"crosses " + ink + "\" d=\"M" + figure(x - 3)
                + " 13l6 6m-6 0l6 -6\"/>";
      else if (each.what == chart_series::form::bars)
        out_ += "<path class=\"bars " + ink + "\" d=\"M" + figure(x) + " 12v8\"/>";
      else
        out_ += "<g class=\"dots " + ink + "\"><circle" + attribute("cx", x)
                + " cy=\"16\" r=\"4\"/></g>";
      out_ += text_mark(x + 8, 20, "start", "quiet", each.name);
      x += 30 + 7.0 * static_cast<double>(display_width(each.name));
    }
  }
};

} // namespace

std::string draw_svg(const chart& what, svg_size size) {
  return svg_writer{what, size}.write();
}

} // namespace tune::cli
