// SPDX-License-Identifier: BSD-3-Clause
#include "quality/fidelity_methods.hpp"

#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdlib>
#include <iostream>
#include <map>
#include <utility>

namespace tune::quality {

namespace {

using texts = std::map<std::string, std::string>;

struct known_scheduler {
  std::string type;
  texts options;
};

[[noreturn]] void refuse_method(const std::string& why) {
  std::cerr << why << '\n';
  std::exit(2);
}

texts asha(const char* form, const char* factor) {
  return {{"form", form},
          {"reduction_factor", factor},
          {"grace_period", "1"},
          {"max_t", std::to_string(curve_levels)}};
}

const known_scheduler& scheduler_of(const std::string& name) {
  static const auto last = std::to_string(curve_levels);
  static const std::map<std::string, known_scheduler> all{
      {"fifo", {"fifo", {}}},
      {"asha_stopping_3", {"asha", asha("stopping", "3")}},
      {"asha_stopping_2", {"asha", asha("stopping", "2")}},
      {"asha_promotion_3", {"asha", asha("promotion", "3")}},
      {"asha_promotion_2", {"asha", asha("promotion", "2")}},
      {"hyperband", {"hyperband", {{"max_t", last}}}},
      {"hb_bohb", {"hb_bohb", {{"max_t", last}}}},
      {"median_stopping",
       {"median_stopping", {{"time_attr", "training_iteration"}, {"grace_period", "3"}}}},
  };
  auto found = all.find(name);
  if (found == all.end())
    refuse_method("no scheduler " + name);
  return found->second;
}

std::unique_ptr<scheduler> make_judge(const known_scheduler& what, const curve_set& curves,
                                      std::uint64_t seed) {
  static const auto all = builtin_schedulers();
  const auto* entry = all.find(what.type);
  scheduler_context about;
  about.seed = seed;
  about.space = curves.space();
  auto made = entry->make(*options::parse(entry->known, what.options), about);
  if (!made)
    refuse_method(made.error().detail);
  return std::move(*made);
}

/// @param partial Whether trials may be cut short.
std::unique_ptr<searcher> make_source(const std::string& name, bool partial,
                                      const curve_set& curves, std::uint64_t seed) {
  static const auto all = builtin_searchers();
  const auto* entry = all.find(name);
  if (entry == nullptr)
    refuse_method("no searcher " + name);
  texts written;
  if (name == "auto")
    written["partial"] = partial ? "true" : "false";
  if (name == "dehb")
    written["budget"] = level_parameter;
  searcher_context about;
  about.space = name == "dehb" ? curves.with_level() : curves.space();
  about.seed = seed;
  about.samples = 0;
  return std::move(*entry->make(*options::parse(entry->known, written), about));
}

} // namespace

const std::vector<std::string>& method_names() {
  static const auto all = [] {
    const std::vector<std::pair<std::string, std::vector<std::string>>> pairs{
        {"asha_promotion_2", {"random", "auto", "bohb", "tpe"}},
        {"asha_promotion_3", {"random", "auto"}},
        {"asha_stopping_2", {"random", "auto"}},
        {"asha_stopping_3", {"random", "auto"}},
        {"hyperband", {"random", "auto", "bohb"}},
        {"hb_bohb", {"random", "auto", "bohb"}},
        {"median_stopping", {"random", "auto"}},
        {"fifo", {"random", "auto", "dehb"}},
    };
    std::vector<std::string> result;
    for (const auto& [judge, sources] : pairs) {
      for (const auto& source : sources)
        result.push_back(judge + '/' + source);
    }
    return result;
  }();
  return all;
}

rule_set rules_of(const std::string& method, const curve_set& curves, std::uint64_t seed) {
  auto slash = method.find('/');
  if (slash == std::string::npos)
    refuse_method("no pair of a scheduler and a searcher: " + method);
  const auto& judge = scheduler_of(method.substr(0, slash));
  return {make_judge(judge, curves, seed),
          make_source(method.substr(slash + 1), judge.type != "fifo", curves, seed),
          {}};
}

} // namespace tune::quality
