// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/print.hpp"

#include "io/scratch_directory.hpp"
#include "io/spec/spec_support.hpp"
#include "tune/io/spec/keys.hpp"
#include "tune/io/spec/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

using namespace tune;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

namespace {

/// A bit of everything, with characters that are easily lost.
constexpr std::string_view rich
    = "[experiment]\nname = x\nmetric = accuracy:max, latency:min\nmode = min\nseed = 7\n"
      "time_limit = 90m\n"
      "[trainable]\ncommand = sh -c \"echo \\#{lr} 'a b' \\\\$x\" [-d {d}]\nfiles = / '/tmp'\n"
      "metric.accuracy = acc\\s*= \\#?([0-9.]+);\nenv.X = a=b\n"
      "[space]\nlr = loguniform(1e-5, 0.1)\nk = choice(rbf, \"a \\# b\")\nd = randint(1, 5) if k "
      "== rbf\n"
      "[resources]\ncpu = 0.1\nmemory = 1500\ncustom.licence = 0.5\n"
      "bundles = [{\"cpu\": 0.5, \"gpu\": 1, \"memory\": \"1GiB\", \"custom.a\": 2}]\n"
      "[search]\nportion = 2\npoints = [{\"lr\": 0.01, \"k\": \"a \\# b\"}]\n"
      "[scheduler]\ntype = halving\nmax_t = 9\n"
      "[stop]\nwhen = accuracy >= 0.995 or latency < 1e-3\ntraining_iteration = 50\n"
      "[failure]\nmax_failures = unlimited\nbackoff = 1.5s\n"
      "[cluster]\ncpus = 4\ncustom.licence = 3\nkill_grace = 0.0000001\n"
      "[log]\nlevel = off\n";

loaded_spec loaded(std::string_view text, const load_request& with = support::request()) {
  auto result = support::load_text(text, with);
  EXPECT_TRUE(result) << to_text(result.faults) << "\n" << text;
  return result ? *result.loaded : loaded_spec{};
}

TEST(print, gives_the_same_configuration_back) {
  for (auto text : {rich, support::small}) {
    auto first = loaded(text).what;
    auto printed = print_spec(first, support::request());

    auto second = loaded(printed).what;

    EXPECT_EQ(first, second) << printed;
    EXPECT_EQ(print_spec(second, support::request()), printed);
  }
}

TEST(print, draws_no_warning_of_a_mode_without_effect) {
  for (auto mode : {"", "mode = max\n"}) {
    auto first = loaded(std::string{"[experiment]\nmetric = loss:min\n"} + mode
                        + "[trainable]\ncommand = echo loss=1\n[space]\nx = uniform(0, 1)\n");

    auto printed = print_spec(first.what, support::request());

    EXPECT_THAT(printed, HasSubstr("\n# mode = max\n"));
    auto again = support::load_text(printed, support::request());
    ASSERT_TRUE(again) << to_text(again.faults);
    EXPECT_THAT(again.warnings, testing::Each(testing::Not(HasSubstr("has no effect"))));
    EXPECT_EQ(again.loaded->what.experiment.objectives, first.what.experiment.objectives);
  }
}

TEST(print, comments_every_key_with_its_range_and_default) {
  auto uut = print_spec(loaded(rich).what, support::request());

  EXPECT_THAT(uut, HasSubstr("; default 1)\nnum_samples = 1\n"));
  EXPECT_THAT(uut, HasSubstr("# iterations of the last rung (>= 1; default 100)\nmax_t = 9\n"));
  EXPECT_THAT(
      uut, HasSubstr("\n# the parameters, one per line, in the order of declaration\n[space]\n"));
  EXPECT_THAT(uut, HasSubstr("max_killed = unlimited\n"));
}

TEST(explain, tells_where_each_value_came_from) {
  auto with = support::request();
  with.environment = {{"TUNE_LOG_LEVEL", "debug"}};
  with.overrides = {{"space.lr", "0.5"}};

  auto uut = explain_spec(loaded(support::small, with));

  EXPECT_THAT(uut, HasSubstr("experiment.metric = accuracy  (/nowhere/digits.ini:2)\n"));
  EXPECT_THAT(uut, HasSubstr("experiment.seed = 0  (default)\n"));
  EXPECT_THAT(uut, HasSubstr("space.lr = 0.5  (command line --space.lr)\n"));
  EXPECT_THAT(uut, HasSubstr("log.level = debug  (environment TUNE_LOG_LEVEL)\n"));
  EXPECT_THAT(uut, HasSubstr("search.portion = 4  (default)\n"));
}

TEST(help, lists_every_key_with_its_variable) {
  auto uut = help_all_keys();

  for (const auto& key : spec_keys()) {
    EXPECT_THAT(uut, HasSubstr("--" + key.section + "." + key.rule.name + key.placeholder + " <"));
    EXPECT_THAT(uut, HasSubstr(environment_name(key)));
    EXPECT_FALSE(key.rule.meaning.empty()) << key.rule.name;
    EXPECT_FALSE(legal_text(key).empty()) << key.rule.name;
  }
}

TEST(keys, have_one_row_each_in_sections_that_are_whole) {
  std::set<std::string> seen;
  std::set<std::string> variables;
  for (const auto& key : spec_keys()) {
    EXPECT_TRUE(seen.insert(key.section + "." + key.rule.name).second) << key.rule.name;
    EXPECT_TRUE(variables.insert(environment_name(key)).second) << environment_name(key);
    EXPECT_FALSE(section_meaning(key.section).empty()) << key.section;
    EXPECT_FALSE(environment_name(key).starts_with("TUNE_TRIAL_"));
  }
  auto sections = section_names();
  EXPECT_EQ(std::set<std::string>(sections.begin(), sections.end()).size(), sections.size());
}

TEST(keys, take_their_own_defaults) {
  for (const auto& key : spec_keys()) {
    if (key.is_family() || default_text(key).empty())
      continue;
    spec uut;
    auto read = key.read(uut, default_text(key));
    EXPECT_TRUE(read) << read.error().detail;
    EXPECT_EQ(key.write(uut), default_text(key)) << key.rule.name;
  }
}

/// The part of docs/ini.md about a section.
std::string section_of_docs(const std::string& docs, const std::string& section) {
  auto begin = docs.find("\n### `[" + section + "]`");
  return begin == docs.npos ? std::string{}
                            : docs.substr(begin, docs.find("\n### ", begin + 5) - begin);
}

TEST(docs, describe_every_key_and_no_other) {
  std::ifstream file{TUNE_SOURCE_DIR "/docs/ini.md"};
  std::ostringstream text;
  text << file.rdbuf();

  for (const auto& name : section_names()) {
    auto section = section_of_docs(text.str(), name);
    ASSERT_FALSE(section.empty()) << name;
    std::istringstream lines{section};
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("| `"))
        continue;
      auto key = line.substr(3, line.find('`', 3) - 3);
      EXPECT_NE(find_key(name, key), nullptr) << name << ": " << line;
    }
    for (const auto& key : spec_keys()) {
      if (key.section != name)
        continue;
      auto row = "| `" + key.rule.name + key.placeholder + "` |";
      EXPECT_THAT(section, HasSubstr(row));
      auto at = section.find(row);
      if (key.is_family() || at == section.npos)
        continue;
      auto end = section.find('\n', at);
      auto shown = default_text(key);
      EXPECT_THAT(section.substr(at, end - at),
                  HasSubstr(shown.empty() ? "| none |" : "| `" + shown + "` |"));
    }
  }
}

using docs_example = samples::scratch_directory;

TEST_F(docs_example, loads_beside_its_script) {
  std::ifstream file{TUNE_SOURCE_DIR "/docs/ini.md"};
  std::ostringstream text;
  text << file.rdbuf();
  auto docs = text.str();
  auto begin = docs.find("```ini\n", docs.find("## A worked example"));
  ASSERT_NE(begin, docs.npos);
  begin += 7;

  auto with = support::request();
  with.schedulers = builtin_schedulers();
  with.searchers = builtin_searchers();
  fill(root / "train.py", "import tune_node\n");
  auto uut = load_spec_text(docs.substr(begin, docs.find("```", begin) - begin),
                            (root / "digits.ini").string(), with);

  EXPECT_TRUE(uut) << to_text(uut.faults);
  EXPECT_THAT(uut.warnings, IsEmpty());
}

TEST(record, gives_the_same_configuration_back) {
  for (auto text : {rich, support::small}) {
    auto first = loaded(text).what;
    auto json = to_json(first);

    auto second = spec_from_json(json);

    ASSERT_TRUE(second) << second.error().detail << "\n" << json;
    EXPECT_EQ(first, *second) << json;
    EXPECT_EQ(to_json(*second), json);
  }
}

TEST(record, keeps_what_was_found_in_other_experiments) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  auto first = loaded(support::small).what;
  first.search.found_points = {{{"lr", 0.5}}};
  first.search.found_earlier
      = {{"results/first", {{trial_id{7}, {{"lr", 0.25}}, -0.5, {0.0, infinity}}}},
         {"results/empty", {}}};

  auto second = spec_from_json(to_json(first));

  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_EQ(first, *second) << to_json(first);
}

TEST(record, names_each_file_in_one_way) {
  auto first = loaded(support::small).what;
  first.code = {{"./libmine.so", "12ab"}, {"sub/../d.sh", "34cd"}};

  auto second = spec_from_json(to_json(first));

  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_EQ(second->code, (std::vector<named_text>{{"libmine.so", "12ab"}, {"d.sh", "34cd"}}));
}

TEST(record, keeps_that_an_earlier_trial_failed) {
  auto first = loaded(support::small).what;
  first.search.found_earlier
      = {{"results/first", {{trial_id{7}, {{"lr", 0.25}}, std::nan(""), {}}}}};

  auto second = spec_from_json(to_json(first));

  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_TRUE(std::isnan(second->search.found_earlier.at(0).trials.at(0).value));
}

TEST(record, refuses_earlier_experiments_that_it_did_not_write) {
  for (auto text : {R"({"version":1,"found_earlier":{}})", R"({"version":1,"found_earlier":[{}]})",
                    R"({"version":1,"found_earlier":[{"from":"a","trials":[{"trial":1}]}]})"})
    EXPECT_FALSE(spec_from_json(text)) << text;
}

TEST(record, gives_defaults_back_that_were_never_loaded) {
  auto uut = spec_from_json(to_json(spec{}));

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->experiment, spec{}.experiment);
  EXPECT_EQ(uut->trainable, spec{}.trainable);
  EXPECT_EQ(uut->cluster, spec{}.cluster);
}

TEST(record, holds_typed_values_and_the_lines_of_the_space) {
  auto uut = to_json(loaded(support::small).what);

  EXPECT_THAT(uut, HasSubstr(R"("num_samples":1)"));
  EXPECT_THAT(uut, HasSubstr(R"("fail_fast":false)"));
  EXPECT_THAT(uut, HasSubstr(R"x("space":[["lr","uniform(0, 1)"]])x"));
  EXPECT_THAT(uut, HasSubstr(R"("metric":"accuracy")"));
}

TEST(record, refuses_what_it_did_not_write) {
  for (auto text : {"", "[]", "{}", R"({"version":2})", R"({"version":1,"experiment":{"x":1}})",
                    R"({"version":1,"nonsense":{}, "x": {"y":1}})", R"({"version":1,"space":[1]})",
                    R"({"version":1,"experiment":{"seed":"x"}})"}) {
    EXPECT_FALSE(spec_from_json(text)) << text;
  }
}

TEST(resume, allows_limits_and_refuses_another_problem) {
  auto before = loaded(rich).what;
  auto after = before;
  after.experiment.num_samples = 50;
  after.resources.cpu = 4;
  after.log.level = log_level::trace;
  after.stop.pop_back();
  after.ini_dir = "/elsewhere";
  auto allowed = changes(before, after);
  after.experiment.maximise = true;
  after.space[0].text = "uniform(0, 1)";
  after.trainable.command = "x";
  auto refused = changes(before, after);

  EXPECT_EQ(allowed.size(), 4u);
  EXPECT_TRUE(may_resume(allowed));
  auto why = may_resume(refused);
  ASSERT_FALSE(why);
  EXPECT_EQ(why.error().code, ec::refused);
  for (auto part :
       {"experiment.mode", "space.lr was \"loguniform(1e-5, 0.1)\", is \"uniform(0, 1)\"",
        "trainable.command"})
    EXPECT_THAT(why.error().detail, HasSubstr(part));
  EXPECT_THAT(why.error().detail, testing::Not(HasSubstr("num_samples")));
}

TEST(resume, names_the_mode_alone_where_the_metric_stays) {
  spec before;
  before.experiment.objectives = {{"loss", false}};
  before.experiment.maximise = true;
  auto after = before;
  after.experiment.maximise = false;
  EXPECT_EQ(may_resume(changes(before, after)).error().detail,
            "cannot resume with another configuration: experiment.mode was \"max\", is \"min\"");
}

TEST(resume, names_metrics_that_change_with_their_directions) {
  spec before;
  before.experiment.objectives = {{"loss", true}};
  before.experiment.maximise = true;
  auto after = before;
  after.experiment.objectives = {{"loss", false}};
  EXPECT_EQ(may_resume(changes(before, after)).error().detail,
            "cannot resume with another configuration: experiment.metric was \"loss:max\", is "
            "\"loss:min\"");

  after.experiment.objectives = {{"loss", true}, {"time", false}};
  EXPECT_EQ(may_resume(changes(before, after)).error().detail,
            "cannot resume with another configuration: experiment.metric was \"loss:max\", is "
            "\"loss:max, time:min\"");

  // The mode alone turns the metric round, which its own text does not show.
  after.experiment.objectives = {{"loss", false}};
  after.experiment.maximise = false;
  EXPECT_EQ(may_resume(changes(before, after)).error().detail,
            "cannot resume with another configuration: experiment.mode was \"max\", is \"min\"");
}

TEST(resume, allows_another_command_of_an_external_searcher_but_not_of_another_searcher) {
  spec before;
  before.search.type = "external";
  before.search.options = {{"command", "python3 ./a.py"}, {"max_restarts", "3"}};
  auto after = before;
  after.search.options[0].text = "python3 ./b.py";
  after.search.options[1].text = "9";
  EXPECT_TRUE(may_resume(changes(before, after)));
  after.search.options.push_back({"options", "{}"});
  EXPECT_THAT(may_resume(changes(before, after)).error().detail, HasSubstr("search.options"));
  before.search.type = after.search.type = "mine";
  after.search.options.pop_back();
  EXPECT_THAT(may_resume(changes(before, after)).error().detail, HasSubstr("search.command"));
}

TEST(resume, allows_another_end_of_a_search_but_not_another_search) {
  spec before;
  before.search.type = "auto";
  before.search.options = {{"regret_below", "0.05"}, {"startup", "8"}};
  auto after = before;
  after.search.options[0].text = "0.02";
  EXPECT_THAT(changes(before, after),
              ElementsAre(spec_change{"search.regret_below", "0.05", "0.02", true}));
  after.search.options.erase(after.search.options.begin());
  EXPECT_TRUE(may_resume(changes(before, after)));
  after.search.options[0].text = "9";
  EXPECT_THAT(may_resume(changes(before, after)).error().detail,
              testing::EndsWith("configuration: search.startup was \"8\", is \"9\""));
  before.search.type = after.search.type = "mine";
  after.search.options = {{"regret_below", "1"}, {"startup", "8"}};
  EXPECT_THAT(may_resume(changes(before, after)).error().detail, HasSubstr("regret_below"));
}

TEST(resume, names_no_options_that_go_with_another_type) {
  auto before = loaded(rich).what;
  before.search.type = "tpe";
  before.search.options = {{"startup", "3"}};
  auto after = before;
  after.search.type = "random";
  after.search.options = {{"constant", "false"}};
  after.search.repeat = 2;
  after.scheduler.options = {{"grace_period", "1"}, {"max_t", "12"}};

  auto why = may_resume(changes(before, after));

  ASSERT_FALSE(why);
  EXPECT_EQ(why.error().detail,
            "cannot resume with another configuration: search.type was \"tpe\", is \"random\"; "
            "search.repeat was \"1\", is \"2\"; scheduler.max_t was \"9\", is \"12\"");
}

TEST(resume, sees_parameters_come_go_and_change_places) {
  spec before;
  before.space = {{"a", "1"}, {"b", "2"}};
  auto after = before;
  EXPECT_THAT(changes(before, after), IsEmpty());
  after.space = {{"b", "2"}, {"a", "1"}};
  EXPECT_THAT(changes(before, after), ElementsAre(spec_change{"space", "a, b", "b, a", false}));
  after.space = {{"a", "1"}, {"c", "3"}};
  EXPECT_THAT(changes(before, after), ElementsAre(spec_change{"space.b", "2", "", false},
                                                  spec_change{"space.c", "", "3", false}));
}

} // namespace
