// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/record.hpp"

#include "earlier_json.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/keys.hpp"
#include "tune/io/spec/text_template.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace tune {

namespace {

constexpr std::int64_t record_version = 1;

/// The JSON name of a key; families without a prefix are stored as "lines", beside the section's
/// single keys.
std::string member_name(const key_spec& x) {
  if (!x.is_family())
    return x.rule.name;
  return x.rule.name.empty() ? "lines" : x.rule.name.substr(0, x.rule.name.size() - 1);
}

/// A value as JSON: numbers and booleans as such, everything else as its INI text.
value recorded(const key_spec& key, const std::string& text) {
  if (key.rule.kind == option_kind::integer) {
    if (auto x = parse_integer(text))
      return *x;
  }
  if (key.rule.kind == option_kind::number) {
    if (auto x = parse_number(text))
      return *x;
  }
  if (key.rule.kind == option_kind::boolean)
    return text == "true";
  return text;
}

value pairs(const std::vector<named_text>& lines) {
  value::list result;
  for (const auto& x : lines)
    result.push_back(value::list{x.name, x.text});
  return result;
}

expected<std::vector<named_text>> read_pairs(const std::string& where, const value& what) {
  error bad{ec::bad_syntax, where + ": must be a list of pairs of texts"};
  if (what.as_list() == nullptr)
    return bad;
  std::vector<named_text> result;
  for (const auto& each : *what.as_list()) {
    const auto* pair = each.as_list();
    if (pair == nullptr || pair->size() != 2 || (*pair)[0].as_string() == nullptr
        || (*pair)[1].as_string() == nullptr)
      return bad;
    result.push_back({*(*pair)[0].as_string(), *(*pair)[1].as_string()});
  }
  return result;
}

/// Reads one member of a section.
expected<void> read_member(spec& to, const std::string& section, const std::string& name,
                           const value& what) {
  auto where = section + "." + name;
  for (const auto& key : spec_keys()) {
    if (key.section != section || member_name(key) != name)
      continue;
    if (!key.is_family()) {
      auto text = to_text(what);
      // Unset choices and metrics are recorded as empty texts, which are not legal in a file.
      if (text.empty() && default_text(key).empty())
        return {};
      return key.read(to, text);
    }
    auto lines = read_pairs(where, what);
    if (!lines)
      return lines.error();
    key.entries(to) = std::move(*lines);
    return {};
  }
  return error{ec::unknown_name, "\"" + where + "\" is not a known key of a recorded spec"};
}

/// Sinks as heads of earlier versions wrote them: `[log] sink.<name>`, with all options in one
/// line.
expected<void> read_earlier_sinks(spec& to, const value& what) {
  auto lines = read_pairs("log.sink", what);
  if (!lines)
    return lines.error();
  for (const auto& [name, text] : *lines) {
    to.sinks.lines.push_back({name, "on"});
    std::istringstream words{text};
    std::string option;
    std::string given;
    while (words >> option >> given)
      to.sinks.lines.push_back({name + "." + option, given});
  }
  return {};
}

/// Reads the members of a section in the table's order, since some keys depend on earlier ones.
expected<void> read_section(spec& to, const std::string& section, const object& members) {
  auto known = [&](const std::string& name) {
    return std::any_of(spec_keys().begin(), spec_keys().end(), [&](const key_spec& key) {
      return key.section == section && member_name(key) == name;
    });
  };
  for (const auto& [name, what] : members) {
    if (known(name))
      continue;
    auto read = section == "log" && name == "sink" ? read_earlier_sinks(to, what)
                                                   : read_member(to, section, name, what);
    if (!read)
      return read;
  }
  for (const auto& key : spec_keys()) {
    if (key.section != section)
      continue;
    const auto* what = members.find(member_name(key));
    if (what == nullptr)
      continue;
    if (auto read = read_member(to, section, member_name(key), *what); !read)
      return read;
  }
  return {};
}

/// Reads the members that are not keys.
expected<void> read_beside(spec& to, const object& from) {
  if (const auto* code = from.find("code")) {
    auto read = read_pairs("code", *code);
    if (!read)
      return read.error();
    to.code = std::move(*read);
    // Heads of earlier versions recorded "./libmine.so" of a plugin as it was written.
    for (auto& x : to.code)
      x.name = std::filesystem::path{x.name}.lexically_normal().string();
  }
  if (const auto* earlier = from.find("found_earlier")) {
    auto read = read_earlier(*earlier);
    if (!read)
      return read.error();
    to.search.found_earlier = std::move(*read);
  }
  const auto* points = from.find("found_points");
  if (points == nullptr)
    return {};
  if (points->as_list() == nullptr)
    return error{ec::bad_syntax, "found_points: must be a list of objects"};
  for (const auto& each : *points->as_list()) {
    if (each.as_object() == nullptr)
      return error{ec::bad_syntax, "found_points: must be a list of objects"};
    to.search.found_points.push_back(*each.as_object());
  }
  return {};
}

/// The texts that `changes` compares: single keys by text, families line by line, in the table's
/// order.
std::vector<named_text> flattened(const key_spec& key, const spec& x) {
  std::vector<named_text> result;
  if (!key.is_family())
    result.push_back({key.section + "." + key.rule.name, key.write(x)});
  else
    for (const auto& line : entries_of(key, x))
      result.push_back({key.section + "." + key.rule.name + line.name, line.text});
  return result;
}

const std::string* find_text(const std::vector<named_text>& in, const std::string& name) {
  auto i = std::find_if(in.begin(), in.end(), [&](const named_text& x) { return x.name == name; });
  return i == in.end() ? nullptr : &i->text;
}

/// The names of `[space]` in their order, which affects the configurations that a seed gives.
std::string order_of(const std::vector<named_text>& lines) {
  std::string result;
  for (const auto& x : lines)
    result += (result.empty() ? "" : ", ") + x.name.substr(x.name.find('.') + 1);
  return result;
}

/// Keeps variables of old records as they are: records of versions that did not replace parameters
/// in variables have no `template` either, by which they are recognised.
void keep_variables_of_old(const object& trainable, spec& to) {
  if (trainable.find("template") != nullptr)
    return;
  std::vector<std::string> names;
  for (const auto& x : to.space)
    names.push_back(x.name);
  for (auto& x : to.trainable.env)
    x.text = without_placeholders(x.text, names);
}

} // namespace

std::string to_json(const spec& x) {
  object result{{"version", record_version}, {"ini_dir", x.ini_dir}};
  for (const auto& section : section_names()) {
    object members;
    for (const auto& key : spec_keys()) {
      if (key.section != section)
        continue;
      members.set(member_name(key),
                  key.is_family() ? pairs(entries_of(key, x)) : recorded(key, key.write(x)));
    }
    // A section with only a family is stored as its lines.
    const auto* lines = members.find("lines");
    auto only_lines = lines != nullptr && members.size() == 1;
    result.set(section, only_lines ? *lines : value{std::move(members)});
  }
  if (!x.code.empty())
    result.set("code", pairs(x.code));
  if (!x.search.found_points.empty())
    result.set("found_points",
               value::list{x.search.found_points.begin(), x.search.found_points.end()});
  if (!x.search.found_earlier.empty())
    result.set("found_earlier", earlier_value(x.search.found_earlier));
  return to_json(result);
}

expected<spec> spec_from_json(std::string_view text) {
  auto parsed = object_from_json(text);
  if (!parsed)
    return parsed.error();
  spec result;
  const auto* version = parsed->find("version");
  if (version == nullptr || version->as_int() == nullptr || *version->as_int() != record_version)
    return error{ec::bad_option, "not a recorded spec of version 1"};
  if (const auto* dir = parsed->find("ini_dir"); dir != nullptr && dir->as_string() != nullptr)
    result.ini_dir = *dir->as_string();
  if (auto read = read_beside(result, *parsed); !read)
    return read.error();
  for (const auto& [section, what] : *parsed) {
    if (section == "version" || section == "ini_dir" || section == "code"
        || section == "found_points" || section == "found_earlier")
      continue;
    auto members = what.as_object() != nullptr ? *what.as_object() : object{{"lines", what}};
    if (auto read = read_section(result, section, members); !read)
      return read.error();
  }
  const auto* trainable = parsed->find("trainable");
  if (trainable != nullptr && trainable->as_object() != nullptr)
    keep_variables_of_old(*trainable->as_object(), result);
  return result;
}

namespace {

/// Keys about running an external searcher's process, which the user may have to correct; they do
/// not change the search.
bool says_how_to_ask(const spec& before, std::string_view name) {
  static constexpr std::array<std::string_view, 3> ways{"search.command", "search.answer_timeout",
                                                        "search.max_restarts"};
  return before.search.type == "external"
         && std::find(ways.begin(), ways.end(), name) != ways.end();
}

} // namespace

bool ends_search(const spec& x, std::string_view option) {
  return option == "regret_below" && (x.search.type == "auto" || x.search.type == "gp");
}

namespace {

/// Whether the key is `metric` and comes to the same: it is written `loss:min` or `loss` by what
/// `mode` says.
bool names_same_objectives(const key_spec& key, const spec& before, const spec& after) {
  return key.section == "experiment" && key.rule.name == "metric"
         && before.experiment.objectives == after.experiment.objectives;
}

/// The objectives with the direction of each: `loss` alone says that only beside the mode.
std::string with_directions(const std::vector<objective>& xs) {
  std::string result;
  for (const auto& x : xs)
    result += (result.empty() ? "" : ", ") + x.metric + (x.maximise ? ":max" : ":min");
  return result;
}

/// The change of a key as people are told of it.
spec_change told(const key_spec& key, const spec& before, const spec& after, spec_change what) {
  if (key.section == "experiment" && key.rule.name == "metric") {
    what.before = with_directions(before.experiment.objectives);
    what.after = with_directions(after.experiment.objectives);
  }
  return what;
}

bool may_change_option(const spec& before, std::string_view name) {
  constexpr std::string_view section = "search.";
  return says_how_to_ask(before, name)
         || (name.starts_with(section) && ends_search(before, name.substr(section.size())));
}

} // namespace

std::vector<spec_change> changes(const spec& before, const spec& after) {
  std::vector<spec_change> result;
  for (const auto& key : spec_keys()) {
    auto may_change
        = [&](std::string_view name) { return key.may_change || may_change_option(before, name); };
    if (names_same_objectives(key, before, after))
      continue;
    auto old_lines = flattened(key, before);
    auto new_lines = flattened(key, after);
    auto size = result.size();
    for (const auto& x : old_lines) {
      const auto* now = find_text(new_lines, x.name);
      if (now == nullptr || *now != x.text)
        result.push_back(told(key, before, after,
                              {x.name, x.text, now == nullptr ? "" : *now, may_change(x.name)}));
    }
    for (const auto& x : new_lines) {
      if (find_text(old_lines, x.name) == nullptr)
        result.push_back({x.name, "", x.text, may_change(x.name)});
    }
    auto reordered = result.size() == size && key.section == "space" && old_lines != new_lines;
    if (reordered)
      result.push_back({"space", order_of(old_lines), order_of(new_lines), key.may_change});
  }
  return result;
}

namespace {

/// Whether the change is an option of a searcher or scheduler whose type also changed: the option
/// was dropped or added with the type.
bool goes_with_type(const std::vector<spec_change>& xs, const spec_change& x) {
  const auto section = x.key.substr(0, x.key.find('.'));
  const auto is_key = std::any_of(spec_keys().begin(), spec_keys().end(), [&](const auto& key) {
    return !key.is_family() && key.section + "." + key.rule.name == x.key;
  });
  return !is_key && (section == "search" || section == "scheduler")
         && std::any_of(xs.begin(), xs.end(),
                        [&](const spec_change& y) { return y.key == section + ".type"; });
}

} // namespace

expected<void> may_resume(const std::vector<spec_change>& xs) {
  std::string detail;
  for (const auto& x : xs) {
    if (x.allowed || goes_with_type(xs, x))
      continue;
    detail += detail.empty() ? "cannot resume with another configuration: " : "; ";
    detail += x.key + " was \"" + x.before + "\", is \"" + x.after + "\"";
  }
  if (detail.empty())
    return {};
  return error{ec::refused, std::move(detail)};
}

} // namespace tune
