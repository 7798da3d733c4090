/// The resource-changing scheduler as a choice of the INI file: its options, and how it is built
/// from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/schedule/resource_changing/resource_changing.hpp"

#include <algorithm>
#include <utility>

namespace tune::resource_changing {

namespace {

using namespace option_makers;

constexpr std::string_view prefix = "base.";

std::vector<option_spec> own_options(const scheduler_catalogue& bases) {
  using enum option_kind;
  auto times = option("increase_by_times", integer, "0",
                      "most times that one trial is given increase_by; 0 = no limit");
  times.least = 0;
  return {
      among(bases.names(), option("base", text, bases.names().front(),
                                  "scheduler that judges; its options begin with base.")),
      among({"distribute", "top_job"},
            option("allocation", text, "distribute",
                   "who gets what is free: all alike, or the best trial alone")),
      option("increase_by", text, "",
             "what is given and taken at a time, such as \"cpu 2, memory 1GiB\"; default: the last "
             "bundle with add_bundles, else a GPU where trials have any, else a CPU"),
      std::move(times),
      option("reserve", text, "", "what stays free, such as \"cpu 1\""),
      option("add_bundles", boolean, "false",
             "give further bundles, instead of making the only one larger"),
  };
}

/// All options of all bases, each once; the base that is chosen checks them.
std::vector<option_spec> known_options(const scheduler_catalogue& bases) {
  auto result = own_options(bases);
  for (const auto& base : bases.entries()) {
    for (const auto& x : base.known) {
      auto name = std::string{prefix} + x.name;
      auto same = [&](const option_spec& y) { return y.name == name; };
      auto known = std::find_if(result.begin(), result.end(), same);
      if (known == result.end())
        result.push_back(option(name, option_kind::text, "", x.name + " of " + base.name));
      else
        known->meaning += ", " + base.name;
    }
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Adds an amount such as "cpu 2" or "memory 1GiB".
expected<void> enter(resources& into, std::string_view text) {
  auto end = text.find_first_of(" \t");
  auto name = text.substr(0, end);
  auto rest = end == std::string_view::npos ? std::string_view{} : trimmed(text.substr(end));
  if (name == "memory") {
    auto bytes = parse_bytes(rest);
    if (!bytes)
      return bytes.error();
    into.memory = *bytes;
    return {};
  }
  constexpr double most = 1e6;
  auto number = parse_number(rest);
  if (name.empty() || !number || !(*number >= 0 && *number <= most))
    return error{ec::bad_syntax, "must be a list such as \"cpu 2, gpu 1, memory 1GiB, licence 1\""};
  if (name == "cpu")
    into.cpu = amount::of(*number);
  else if (name == "gpu")
    into.gpu = amount::of(*number);
  else
    into.custom.insert_or_assign(std::string{name}, amount::of(*number));
  return {};
}

expected<resources> read_resources(const options& from, const std::string& name) {
  resources result;
  auto rest = std::string_view{from.text(name)};
  while (true) {
    auto end = rest.find(',');
    if (auto entered = enter(result, trimmed(rest.substr(0, end))); !entered)
      return error{ec::bad_option, name + " = " + from.text(name) + ": " + entered.error().detail};
    if (end == std::string_view::npos)
      return result;
    rest.remove_prefix(end + 1);
  }
}

expected<dealing> read(const options& from, const scheduler_context& context) {
  dealing result;
  result.increase_by_times = static_cast<std::uint64_t>(from.integer("increase_by_times"));
  result.add_bundles = from.boolean("add_bundles");
  if (!result.add_bundles && context.request.bundles.size() > 1)
    return error{ec::bad_option, "add_bundles = false: each trial asks for "
                                     + std::to_string(context.request.bundles.size())
                                     + " bundles, of which none can be made larger"};
  if (from.has("reserve")) {
    auto reserve = read_resources(from, "reserve");
    if (!reserve)
      return reserve.error();
    result.reserve = std::move(*reserve);
  }
  if (from.has("increase_by")) {
    auto unit = read_resources(from, "increase_by");
    if (!unit)
      return unit.error();
    if (to_text(*unit) == to_text(resources{}))
      return error{ec::bad_option,
                   "increase_by = " + from.text("increase_by") + ": must have an amount above 0"};
    result.increase_by = std::move(*unit);
  } else if (result.add_bundles
             && (context.request.bundles.empty()
                 || to_text(context.request.bundles.back()) == to_text(resources{}))) {
    return error{ec::bad_option, "add_bundles = true: the last bundle of a trial asks for nothing; "
                                 "say what is added by increase_by"};
  }
  return result;
}

/// Makes the base from the options that begin with its prefix.
expected<std::unique_ptr<scheduler>>
make_base(const scheduler_catalogue& bases, const options& from, const scheduler_context& context) {
  const auto& base = *bases.find(from.text("base"));
  std::map<std::string, std::string> written;
  for (const auto& x : known_options(bases)) {
    if (x.name.starts_with(prefix) && from.has(x.name))
      written.emplace(x.name.substr(prefix.size()), from.text(x.name));
  }
  // The base's complaint may begin with the name of one of its options.
  auto blamed = [&](const error& why) {
    auto is_option = std::any_of(base.known.begin(), base.known.end(), [&](const option_spec& x) {
      return why.detail.starts_with(x.name + " ");
    });
    return error{why.code,
                 (is_option ? std::string{prefix} : "base = " + base.name + ": ") + why.detail};
  };
  for (const auto& [name, text] : written) {
    auto same = [&wanted = name](const option_spec& x) { return x.name == wanted; };
    if (std::none_of(base.known.begin(), base.known.end(), same))
      return error{ec::bad_option, std::string{prefix} + name + " = " + text + ": " + base.name
                                       + " has no such option"};
  }
  auto parsed = options::parse(base.known, written);
  if (!parsed)
    return blamed(parsed.error());
  auto result = base.make(*parsed, context);
  if (!result)
    return blamed(result.error());
  return result;
}

} // namespace

scheduler_catalogue::entry make_entry(const scheduler_catalogue& bases) {
  scheduler_catalogue::entry result;
  result.name = "resource_changing";
  result.summary = "another scheduler, with trials that are given what is free as they train";
  result.source = "Ray Tune's ResourceChangingScheduler with DistributeResources and "
                  "DistributeResourcesToTopJob; docs/ray-tune.md says where it differs";
  result.known = known_options(bases);
  result.make = [bases](const options& from,
                        const scheduler_context& context) -> expected<std::unique_ptr<scheduler>> {
    auto how = read(from, context);
    if (!how)
      return how.error();
    auto base = make_base(bases, from, context);
    if (!base)
      return base.error();
    auto deal = from.text("allocation") == "top_job" ? distribute_to_top_job(std::move(*how))
                                                     : distribute(std::move(*how));
    return std::unique_ptr<scheduler>{std::make_unique<resource_changing_scheduler>(
        std::move(*base), std::move(deal), context.request)};
  };
  return result;
}

} // namespace tune::resource_changing
