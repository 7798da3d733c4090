// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/checkup.hpp"

#include "console/text.hpp"
#include "output/write_rows.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <array>
#include <ostream>

namespace tune::cli {

namespace {

tint tint_of(step_state x) {
  static constexpr std::array all{tint::good, tint::warning, tint::bad, tint::faint};
  return all[static_cast<std::size_t>(x)];
}

std::vector<checkup_step>::const_iterator first_failed(const std::vector<checkup_step>& steps) {
  return std::find_if(steps.begin(), steps.end(),
                      [](const auto& x) { return x.state == step_state::failed; });
}

object row_of(const checkup_step& x) {
  object result;
  result.set("step", x.name);
  result.set("state", to_text(x.state));
  result.set("detail", x.detail);
  result.set("remedy", x.remedy.empty() ? value{} : value{x.remedy});
  result.set("address", x.address.empty() ? value{} : value{x.address});
  return result;
}

/// Whether steps are about more than one address of a head.
bool is_of_several(const std::vector<checkup_step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [&](const auto& x) {
    return !x.address.empty() && x.address != steps.front().address;
  });
}

std::string called(const checkup_step& x, bool several) {
  return several && !x.address.empty() ? x.name + " at " + printable(x.address) : x.name;
}

void write_people(const std::vector<checkup_step>& steps, const table_look& look,
                  std::ostream& out) {
  constexpr std::size_t state_width = 9;
  std::size_t width = 0;
  for (const auto& x : steps)
    width = std::max(width, display_width(x.name));
  const auto several = is_of_several(steps);
  const std::string* of = nullptr;
  for (const auto& x : steps) {
    if (several && (of == nullptr || *of != x.address))
      out << (x.address.empty() ? "this machine" : printable(x.address)) << ":\n";
    of = &x.address;
    const auto state
        = pad_right(look.colors.paint(tint_of(x.state), to_text(x.state)), state_width);
    out << state << pad_right(x.name, width) << "  " << printable(x.detail) << "\n";
    if (!x.remedy.empty())
      out << std::string(state_width + width + 2, ' ') << printable(x.remedy) << "\n";
  }
}

void write_summary(const std::vector<checkup_step>& steps, const table_look& look,
                   std::ostream& out) {
  const auto failed = first_failed(steps);
  const auto warnings = std::count_if(steps.begin(), steps.end(),
                                      [](const auto& x) { return x.state == step_state::warned; });
  if (failed != steps.end())
    out << look.colors.paint(tint::bad, "failed: ") << "the first step that failed is "
        << called(*failed, is_of_several(steps)) << "\n";
  else if (warnings > 0)
    out << look.colors.paint(tint::warning, "well, ") << "with " << warnings << " warning"
        << (warnings == 1 ? "" : "s") << "\n";
  else
    out << look.colors.paint(tint::good, "all is well") << "\n";
}

} // namespace

std::string_view to_text(step_state x) {
  static constexpr std::array<std::string_view, 4> names{"ok", "warning", "failed", "skipped"};
  return names[static_cast<std::size_t>(x)];
}

exit_code code_of(const std::vector<checkup_step>& steps) {
  const auto failed = first_failed(steps);
  return failed == steps.end() ? exit_code::done : failed->code;
}

void write_checkup(const std::vector<checkup_step>& steps, output_format format,
                   const table_look& look, std::ostream& out) {
  if (format == output_format::table) {
    write_people(steps, look, out);
    write_summary(steps, look, out);
    return;
  }
  std::vector<object> rows;
  for (const auto& x : steps)
    rows.push_back(row_of(x));
  if (format != output_format::json)
    return write_rows(rows, format, json_layout::row_per_line, out);
  const auto failed = first_failed(steps);
  value::list listed;
  for (auto& x : rows)
    listed.emplace_back(std::move(x));
  object all;
  all.set("ok", value{failed == steps.end()});
  all.set("failed", failed == steps.end() ? value{} : value{failed->name});
  all.set("failed_at",
          failed == steps.end() || failed->address.empty() ? value{} : value{failed->address});
  all.set("steps", std::move(listed));
  out << to_json(all) << "\n";
}

} // namespace tune::cli
