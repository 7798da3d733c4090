// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/sink_wishes.hpp"

#include "loading.hpp"

#include "tune/io/sinks/builtin.hpp"

#include <algorithm>
#include <array>

namespace tune {

namespace {

constexpr std::array<std::string_view, 4> words_for_on{"on", "true", "yes", "1"};
constexpr std::array<std::string_view, 4> words_for_off{"off", "false", "no", "0"};

bool is_word_of(const std::array<std::string_view, 4>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// The sink that a key of the section belongs to, and the option; empty: its own line.
std::pair<std::string, std::string> split(const std::string& key) {
  const auto dot = key.find('.');
  return dot == key.npos ? std::pair{key, std::string{}}
                         : std::pair{key.substr(0, dot), key.substr(dot + 1)};
}

std::string listing(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& x : names)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

void refuse_unknown_sink(loading& x, const std::string& key, const std::string& name) {
  const auto names = x.request.sinks.names();
  auto near = nearest_name(name, names);
  x.refuse("sinks", key,
           name + ": there is no such sink: "
               + (names.empty() ? "this program has none" : "must be one of: " + listing(names))
               + (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

/// The key that gave an option its value.
std::string key_of(const loading& x, const sink_wish& wish, const std::string& option) {
  auto own = wish.name + "." + option;
  return x.find("sinks", own) != nullptr ? own : wish.name;
}

/// The value as written, for messages.
std::string said(const loading& x, const std::string& key) {
  const auto* entry = x.find("sinks", key);
  return entry == nullptr ? key : key + " = " + entry->text.substr(0, 200);
}

/// Checks each option by itself, so that each fault gets its line.
bool check_written(loading& x, const sink_wish& wish, const sink_catalogue::entry& entry) {
  bool is_sound = true;
  for (const auto& [option, text] : wish.written) {
    auto same = [&](const option_spec& each) { return each.name == option; };
    auto rule = std::find_if(entry.known.begin(), entry.known.end(), same);
    auto rules = rule == entry.known.end() ? entry.known : std::vector<option_spec>{*rule};
    auto parsed = options::parse(rules, {{option, text}});
    if (parsed)
      continue;
    is_sound = false;
    const auto key = key_of(x, wish, option);
    x.refuse("sinks", key, said(x, key) + ": " + parsed.error().detail);
  }
  return is_sound;
}

void check_wish(loading& x, const sink_wish& wish) {
  const auto* entry = x.request.sinks.find(wish.name);
  if (entry == nullptr)
    return refuse_unknown_sink(
        x, wish.is_said ? wish.name : wish.name + "." + wish.written.begin()->first, wish.name);
  if (!wish.is_said)
    return x.refuse("sinks", wish.name + "." + wish.written.begin()->first,
                    wish.name + "." + wish.written.begin()->first + ": the sink is not chosen: add "
                        + wish.name + " = on");
  if (entry->known.empty() && wish.written.contains(""))
    return x.refuse("sinks", wish.name,
                    said(x, wish.name) + ": must be on or off: the sink has no options");
  if (!check_written(x, wish, *entry) || !wish.is_on)
    return;
  auto parsed = options::parse(entry->known, wish.written);
  auto sound = parsed ? check_options(*entry, *parsed) : expected<void>{parsed.error()};
  if (sound)
    return;
  const auto& detail = sound.error().detail;
  auto key = wish.name;
  for (const auto& option : entry->known) {
    if (detail.starts_with(option.name + ":"))
      key = key_of(x, wish, option.name);
  }
  x.refuse("sinks", key, said(x, key) + ": " + detail);
}

} // namespace

std::vector<sink_wish> sink_wishes(const std::vector<named_text>& lines,
                                   const sink_catalogue& all) {
  std::vector<sink_wish> result;
  auto wish_of = [&](const std::string& name) -> sink_wish& {
    auto same = [&](const sink_wish& x) { return x.name == name; };
    auto found = std::find_if(result.begin(), result.end(), same);
    if (found != result.end())
      return *found;
    return result.emplace_back(sink_wish{name, false, false, {}});
  };
  for (const auto& line : lines) {
    const auto [name, option] = split(line.name);
    auto& wish = wish_of(name);
    if (!option.empty()) {
      wish.written[option] = line.text;
      continue;
    }
    wish.is_said = true;
    wish.is_on = !is_word_of(words_for_off, line.text);
    if (!wish.is_on || is_word_of(words_for_on, line.text))
      continue;
    const auto* entry = all.find(name);
    const auto first = entry == nullptr || entry->known.empty() ? "" : entry->known.front().name;
    // A line of the option itself counts more.
    wish.written.try_emplace(first, line.text);
  }
  return result;
}

void check_sinks(loading& x) {
  for (const auto& wish : sink_wishes(x.what.sinks.lines, x.request.sinks))
    check_wish(x, wish);
}

} // namespace tune
