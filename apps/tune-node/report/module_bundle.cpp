// SPDX-License-Identifier: BSD-3-Clause
#include "report/module_bundle.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

namespace tune::cli {

namespace {

/// A module on its way into the bundle.
struct parsed_module {
  /// The lines that fetch what it imports, and its own text without `import` and `export`.
  std::string text;
  std::vector<std::string> needs;
  std::vector<std::string> exports;
};

std::string path_from(const std::string& importer, std::string_view relative) {
  return (std::filesystem::path{importer}.parent_path() / relative)
      .lexically_normal()
      .generic_string();
}

/// `a as b` is `a: b` where an object is taken apart.
std::string as_pattern(std::string names) {
  for (auto at = names.find(" as "); at != names.npos; at = names.find(" as ", at))
    names.replace(at, 4, ": ");
  return names;
}

std::string fetched(const std::string& path) {
  return "modules[\"" + path + "\"]";
}

/// Reads `import … from "PATH";`.
expected<void> read_import(std::string_view line, const std::string& of, parsed_module& to) {
  const auto from = line.rfind(" from \"");
  const auto end = line.rfind("\";");
  if (from == line.npos || end == line.npos || end < from + 7 || line[from + 7] != '.')
    return error{ec::bad_syntax, of + ": an import of another form: " + std::string{line}};
  const auto path = path_from(of, line.substr(from + 7, end - from - 7));
  const std::string what{line.substr(7, from - 7)};
  if (what.starts_with("* as "))
    to.text += "const " + what.substr(5) + " = " + fetched(path) + ";\n";
  else if (what.starts_with("{") && what.ends_with("}"))
    to.text += "const " + as_pattern(what) + " = " + fetched(path) + ";\n";
  else
    return error{ec::bad_syntax, of + ": an import of another form: " + std::string{line}};
  to.needs.push_back(path);
  return {};
}

/// Reads `export const NAME`, `export function NAME`, … and keeps the line without `export`.
expected<void> read_export(std::string_view line, const std::string& of, parsed_module& to) {
  auto rest = line.substr(7);
  auto name = rest;
  for (std::string_view kind : {"async ", "function ", "class ", "const ", "let "}) {
    if (name.starts_with(kind))
      name.remove_prefix(kind.size());
  }
  const auto end = name.find_first_of(" (=;{");
  if (name.size() == rest.size() || end == 0 || end == name.npos)
    return error{ec::bad_syntax, of + ": an export of another form: " + std::string{line}};
  to.exports.emplace_back(name.substr(0, end));
  to.text.append(rest).append("\n");
  return {};
}

/// The next statement of a module's beginning: an import may take several lines.
std::string_view next_line(std::string_view& rest) {
  auto end = rest.find('\n');
  if (rest.starts_with("import ")) {
    const auto close = rest.find(";\n");
    end = close == rest.npos ? end : close + 1;
  }
  const auto result = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return result;
}

std::string on_one_line(std::string_view text) {
  std::string result{text};
  std::replace(result.begin(), result.end(), '\n', ' ');
  return result;
}

expected<parsed_module> parse_module(const std::string& path, std::string_view source) {
  parsed_module result;
  while (!source.empty()) {
    const auto line = next_line(source);
    auto done = line.starts_with("import ")   ? read_import(on_one_line(line), path, result)
                : line.starts_with("export ") ? read_export(line, path, result)
                                              : expected<void>{};
    if (!done)
      return done.error();
    if (!line.starts_with("import ") && !line.starts_with("export "))
      result.text.append(line).append("\n");
  }
  return result;
}

/// Adds modules, those that others need first.
class bundler {
public:
  explicit bundler(const module_source& from) : from_{from} {}

  expected<void> add(const std::string& path) {
    if (done_.contains(path))
      return {};
    if (!open_.insert(path).second)
      return error{ec::bad_syntax, path + " imports itself, through others"};
    const auto source = from_(path);
    if (!source)
      return error{ec::unreadable, "there is no module " + path};
    auto parsed = parse_module(path, *source);
    if (!parsed)
      return parsed.error();
    for (const auto& needed : parsed->needs) {
      if (auto added = add(needed); !added)
        return added;
    }
    std::string names;
    for (const auto& x : parsed->exports)
      names += (names.empty() ? "" : ", ") + x;
    text_ += fetched(path) + " = (() => {\n" + parsed->text + "return { " + names + " };\n})();\n";
    done_.insert(path);
    return {};
  }

  [[nodiscard]] std::string text() const {
    return "(() => {\n\"use strict\";\nconst modules = {};\n" + text_ + "})();\n";
  }

private:
  const module_source& from_;
  std::set<std::string> open_;
  std::set<std::string> done_;
  std::string text_;
};

} // namespace

expected<std::string> bundle_of(const std::string& entry, const module_source& from) {
  bundler all{from};
  if (auto added = all.add(entry); !added)
    return added.error();
  return all.text();
}

} // namespace tune::cli
