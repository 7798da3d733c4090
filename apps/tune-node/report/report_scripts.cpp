// Style sheets and script of a report, from the files of the page.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/module_bundle.hpp"
#include "report/report_page.hpp"
#include "tune/web/web_assets.hpp"

namespace tune::cli {

namespace {

/// A file by its path below the directory of all.
std::optional<std::string_view> asset_text(const std::string& path) {
  for (const auto& x : web::web_assets()) {
    // "assets/<hash>/core/dom.js"
    const auto slash = x.path.find('/', std::string_view{"assets/"}.size());
    if (slash != x.path.npos && x.path.substr(slash + 1) == path)
      return x.bytes;
  }
  return std::nullopt;
}

} // namespace

expected<report_scripts> scripts_of_program() {
  report_scripts result;
  const auto library = asset_text("d3.js");
  if (!library)
    return result;
  for (const char* name :
       {"theme.css", "style.css", "tables.css", "charts.css", "views.css", "report.css"})
    result.style.append(asset_text(name).value_or("")).append("\n");
  auto modules = bundle_of("report.js", asset_text);
  if (!modules)
    return modules.error();
  result.script = std::string{*library} + "\n" + *modules;
  return result;
}

} // namespace tune::cli
