/// Lines of metrics in the text format of Prometheus.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tune::cli {

/// A value of a label: backslash, quote and line end are escaped.
[[nodiscard]] inline std::string label_text(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '\\' || c == '"')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result;
}

/// `name="value"`.
[[nodiscard]] inline std::string metric_label(std::string_view name, std::string_view is) {
  return std::string{name} + "=\"" + label_text(is) + "\"";
}

/// The lines of one metric.
class prometheus_text {
public:
  prometheus_text(std::string name, std::string_view kind, std::string_view help)
      : name_{std::move(name)} {
    text_.append("# HELP ").append(name_).append(" ").append(help).append("\n");
    text_.append("# TYPE ").append(name_).append(" ").append(kind).append("\n");
  }
  /// @param labels Those of `metric_label`, separated by commas; empty: none.
  /// @param suffix Of the name, such as "_bucket".
  void line(const std::string& labels, const std::string& is, std::string_view suffix = {}) {
    text_.append(name_).append(suffix);
    if (!labels.empty())
      text_.append("{").append(labels).append("}");
    text_.append(" ").append(is).append("\n");
    has_lines_ = true;
  }
  void add(const std::string& experiment, const std::string& more, const std::string& is) {
    line(metric_label("experiment", experiment) + (more.empty() ? "" : "," + more), is);
  }
  void add_all(const std::string& experiment, const char* by,
               const std::map<std::string, std::uint64_t>& counts) {
    for (const auto& [name, count] : counts)
      add(experiment, metric_label(by, name), std::to_string(count));
  }
  /// Empty if there is no line.
  [[nodiscard]] std::string text() const { return has_lines_ ? text_ : std::string{}; }

private:
  std::string name_;
  std::string text_;
  bool has_lines_ = false;
};

} // namespace tune::cli
