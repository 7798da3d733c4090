// The sentences of a report, and how its page is made.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/words.hpp"

#include "made_up_study.hpp"
#include "report/findings.hpp"
#include "report/gather_study.hpp"
#include "report/html.hpp"
#include "report/module_bundle.hpp"
#include "report/redaction.hpp"
#include "report/report_page.hpp"
#include "tune/core/secret_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace tune::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST(report_words, tell_what_was_searched) {
  auto what = made_up_study();
  what.why = "it was asked to";

  EXPECT_THAT(
      searched_words(what),
      ElementsAre("The aim was to minimise loss, over 2 parameters. Searcher: random, with "
                  "seed 7; scheduler: fifo.",
                  "It ran with a budget of 40 configurations, for 1m30s on 1 node, and made "
                  "40 trials. Its state: done (it was asked to)."));
}

TEST(report_words, tell_a_budget_of_which_only_the_most_is_known_and_its_runs) {
  auto what = made_up_study();
  what.wants_at_most = true;
  what.runs_each = 3;
  what.time_limit_s = 60;

  EXPECT_THAT(searched_words(what)[1],
              HasSubstr("with a budget of at most 40 configurations of 3 runs each and 1m00s,"));
}

TEST(report_words, tell_what_won_in_the_metric_itself) {
  auto words = won_words(made_up_study());

  ASSERT_THAT(words, SizeIs(2));
  EXPECT_EQ(words[0], "Trial 00020 has the best loss: 1, at iteration 10 of 10, with lr=0.005 "
                      "act=relu.");
  EXPECT_THAT(words[1], HasSubstr("Neither repeat nor confirm measured noise"));
}

TEST(report_words, tell_of_several_objectives_how_many_are_on_the_front) {
  auto what = made_up_study();
  what.front = 3;

  EXPECT_THAT(won_words(what)[1], HasSubstr("3 trials are on the Pareto front"));
}

TEST(report_words, tell_runs_and_their_error) {
  auto what = made_up_study();
  run_statistics first, second;
  first.runs = first.wanted = second.runs = second.wanted = 3;
  first.is_full = second.is_full = true;
  first.mean = 1;
  second.mean = 2;
  first.error = second.error = 0.1;
  what.runs = {first, second};

  auto words = won_words(what);

  ASSERT_THAT(words, SizeIs(3));
  EXPECT_THAT(words[1], HasSubstr("mean 1"));
  EXPECT_THAT(words[2], HasSubstr("leads the second by 1, with a standard error of 0.14142: more "
                                  "than noise explains"));
}

TEST(report_words, tell_the_mean_from_what_configurations_are_judged_by) {
  auto what = made_up_study();
  run_statistics first, second;
  first.runs = first.wanted = second.runs = second.wanted = 3;
  first.judge = second.judge = run_judge::median;
  first.mean = 1;
  first.judged = 0.5;
  second.mean = 2;
  second.judged = 0.75;
  first.error = second.error = 0.1;
  what.runs = {first, second};

  auto words = won_words(what);

  ASSERT_THAT(words, SizeIs(3));
  EXPECT_THAT(words[0], HasSubstr(" is the best run of the best configuration, with loss 1, at "));
  EXPECT_EQ(words[1],
            "Its configuration: judged by the median 0.5 of 3 runs, whose mean is 1 ± 0.1.");
  EXPECT_THAT(words[2],
              HasSubstr("It comes first by the median; by the mean it leads the second by "
                        "1, with a standard error of 0.14142"));
}

TEST(report_words, tell_where_the_one_that_was_confirmed_has_the_worse_mean) {
  auto what = made_up_study();
  run_statistics first, second;
  first.mean = 2;
  second.mean = 1.5;
  first.error = second.error = 0.1;
  first.confirms = true;
  what.maximise = false;
  what.runs = {first, second};

  EXPECT_THAT(won_words(what)[2],
              AllOf(HasSubstr("The second has the better mean, by 0.5, with a standard error of "
                              "0.14142"),
                    HasSubstr("comes first since its runs confirm it")));

  what.maximise = true;
  EXPECT_THAT(won_words(what)[2], HasSubstr("leads the second by 0.5"));
  what.runs[1].violation = 1;
  EXPECT_THAT(won_words(what)[2], HasSubstr("No second configuration"));
}

TEST(report_words, call_no_value_the_best_where_all_trials_miss_the_constraints) {
  auto what = made_up_study();
  for (std::size_t i = 0; i < what.trials.size(); ++i)
    what.trials[i].how.violation = i == 3 ? 0.5 : 2;
  what.winner.place = 3;
  what.winner.misses = "size <= 1 by 0.5";

  // Trial 20 has the loss 1.
  EXPECT_EQ(
      won_words(what)[0],
      "No trial keeps all constraints; trial 00003 misses the least (size <= 1 by 0.5), with loss "
      "2.7, at iteration 10 of 10, with lr=0.005 act=relu.");

  what.runs.resize(1);
  EXPECT_EQ(won_words(what)[0],
            "Trial 00003 is the best run of the best configuration, with loss 2.7, at iteration 10 "
            "of 10, with lr=0.005 act=relu. It misses size <= 1 by 0.5.");
}

TEST(report_words, say_that_nothing_was_won) {
  auto what = made_up_study();
  what.winner.place.reset();

  EXPECT_THAT(won_words(what), ElementsAre("No trial has a value of loss."));

  what = made_up_study();
  what.trials[*what.winner.place].fate = trial_fate::failed;
  what.status = what.why = "interrupted";
  EXPECT_THAT(won_words(what)[0],
              StartsWith("Trial 00020 (which failed later) has the best loss: "));
  what.winner.checkpoint = "trials/00003/attempt_1_4/checkpoint_000002";
  what.winner.checkpoint_iteration = 6;
  EXPECT_THAT(won_words(what)[0],
              HasSubstr(" The checkpoint kept for it is trials/00003/attempt_1_4"
                        "/checkpoint_000002, of iteration 6."));
  EXPECT_THAT(searched_words(what)[1], HasSubstr("Its state: interrupted."));
}

TEST(report_words, tell_a_best_null_from_no_best) {
  auto what = made_up_study();
  auto row = [](const char* name, value low, std::int64_t best) {
    return value{object{{"name", name},
                        {"importance", 0.5},
                        {"more_than_chance", true},
                        {"from", low},
                        {"to", low},
                        {"best", best}}};
  };

  add_importance(what,
                 {{"note", ""},
                  {"method", "ped-anova"},
                  {"parameters", value::list{row("lr", value{}, 3), row("act", value{}, 0)}}});

  EXPECT_EQ(what.parameters[0].importance->best, "null");
  EXPECT_EQ(what.parameters[1].importance->best, "");
}

TEST(report_words, tell_what_mattered) {
  auto what = made_up_study();
  what.importance_by = "ped-anova";
  what.parameters[0].importance = study_importance{0.9, true, "0.001 to 0.01"};
  what.parameters[1].importance = study_importance{0.1, false, "relu"};

  EXPECT_THAT(
      mattered_words(what),
      ElementsAre("What made a difference, by where the best are (PED-ANOVA): lr (90 %; the "
                  "best have 0.001 to 0.01).",
                  "No more than chance: act (10 %)."));
}

TEST(report_words, say_which_parameters_too_few_configurations_have) {
  auto what = made_up_study();
  const object known{{"name", "lr"}, {"importance", 1.0}, {"more_than_chance", true},
                     {"from", 0.1},  {"to", 0.2},         {"best", 4}};
  const object rare{{"name", "act"},   {"importance", value{}}, {"more_than_chance", value{}},
                    {"from", value{}}, {"to", value{}},         {"best", 0}};

  add_importance(
      what,
      {{"note", ""}, {"method", "model"}, {"parameters", value::list{value{known}, value{rare}}}});

  EXPECT_FALSE(what.parameters[1].importance);
  EXPECT_THAT(mattered_words(what),
              ElementsAre("What made a difference, by a model of the results: lr (100 %; the best "
                          "have 0.1 to 0.2).",
                          "Too few configurations have act to tell."));
  EXPECT_THAT(idle_parameters(what), SizeIs(0));
}

TEST(report_words, tell_where_the_budget_went) {
  auto what = made_up_study();
  for (std::size_t i = 0; i < 10; ++i)
    what.trials[i].fate = trial_fate::stopped;
  what.trials[10].fate = trial_fate::failed;
  what.cost.without_s = 160;
  what.cost.iterations_without = 800;

  auto words = spent_words(what);

  ASSERT_THAT(words, SizeIs(2));
  EXPECT_EQ(words[0], "Of 400 iterations and 1m20s of training went, by iterations, 72.5 % into "
                      "trials that ran to their end, 25 % into trials that the scheduler stopped "
                      "and 2.5 % into trials that failed.");
  EXPECT_THAT(words[1], StartsWith("Early stopping saved about 50 % of the iterations: without it, "
                                   "800 in place of 400"));
  EXPECT_EQ(spent_by_fate(what)[1].iterations, 100u);
}

TEST(report_words, tell_of_trials_that_never_had_a_number) {
  auto what = made_up_study();
  constexpr auto none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < 10; ++i)
    what.trials[i].how.score = none;
  what.trials[0].fate = trial_fate::stopped;
  // It may still have one.
  what.trials[1].fate = trial_fate::running;
  // Its failure says why.
  what.trials[2].fate = trial_fate::failed;
  what.trials[2].iterations = 0;

  EXPECT_EQ(spent_words(what)[1], "8 of 40 trials never had a number other than NaN for loss: "
                                  "20.5 % of the iterations went into them.");
  const auto shares = spent_by_fate(what);
  auto lacking = [&](trial_fate x) { return shares[static_cast<std::size_t>(x)].without_number; };
  EXPECT_EQ(lacking(trial_fate::finished), 7u);
  EXPECT_EQ(lacking(trial_fate::stopped), 1u);
  EXPECT_EQ(lacking(trial_fate::running), 0u);
  EXPECT_EQ(lacking(trial_fate::failed), 0u);

  report_parts parts;
  parts.experiments.emplace_back();
  parts.experiments.front().facts.what = what;
  EXPECT_THAT(report_html(parts, {}), HasSubstr("Trials without a number"));
  parts.experiments.front().facts.what = made_up_study();
  EXPECT_THAT(report_html(parts, {}), Not(HasSubstr("Trials without a number")));
}

TEST(report_words, tell_of_training_that_was_done_again) {
  auto what = made_up_study();
  what.cost = {80, 400, {}, {}, 100, 500, 20};
  EXPECT_EQ(
      spent_words(what)[1],
      "In all, attempts trained 1m40s and made 500 reports: 20.0s of it (20 %) was done again, "
      "since attempts failed, were stopped, were preempted or lost their head before they could "
      "save it.");
  what.cost.done_again_s = 1;
  EXPECT_THAT(spent_words(what)[1], StartsWith("Nothing was stopped early"));
}

TEST(report_words, tell_of_training_that_was_given_up_for_other_trials_checkpoints) {
  auto what = made_up_study();
  what.cost = {80, 400, {}, {}, 100, 500, 5, 40, true};
  EXPECT_EQ(
      spent_words(what)[1],
      "In all, attempts trained 1m40s and made 500 reports: 40.0s of it (40 %) was given up for "
      "other trials' checkpoints, and 5.0s (5 %) was done again, since attempts failed, were "
      "stopped, were preempted or lost their head before they could save it. Trials that took over "
      "another trial's checkpoint count its training as theirs.");

  // What the trials come to has as much twice as was given up.
  what.cost = {100, 400, {}, {}, 100, 500, 0.5, 40, true};
  EXPECT_THAT(spent_words(what)[1], HasSubstr("40.0s of it (40 %) was given up for other trials' "
                                              "checkpoints. Trials that took over"));

  what.cost = {80, 400, {}, {}, 60, 500, 0, 0, true};
  EXPECT_EQ(spent_words(what)[1], "In all, attempts trained 1m00s and made 500 reports. Trials "
                                  "that took over another trial's checkpoint count its training "
                                  "as theirs.");
  what.cost.attempts_s = 80.1;
  EXPECT_THAT(spent_words(what)[1], StartsWith("Nothing was stopped early"));
}

TEST(report_words, tell_trials_that_were_ended_from_outside_apart) {
  auto what = made_up_study();
  what.trials[0].fate = trial_fate::ended;
  const auto told = spent_words(what);
  EXPECT_THAT(told.front(), HasSubstr("into trials that were ended from outside, as by a client"));
  EXPECT_EQ(told.back(), "No rule stopped anything early, so nothing was saved by it.");
}

TEST(report_words, say_that_stopping_saved_nothing) {
  EXPECT_EQ(spent_words(made_up_study()).back(),
            "Nothing was stopped early, so nothing was saved by it.");
}

TEST(redaction, knows_secrets_by_words_of_their_names) {
  for (const char* name : {"API_KEY", "apiKey", "api-key", "WANDB_API_KEY", "db.password",
                           "hf_token", "AccessKey", "private_key", "clientSecret", "token"})
    EXPECT_TRUE(names_a_secret(name)) << name;
  for (const char* name : {"max_tokens", "tokenizer", "key", "monkey", "lr", "author", "secretary"})
    EXPECT_FALSE(names_a_secret(name)) << name;
}

TEST(redaction, takes_secrets_out_of_a_command) {
  EXPECT_EQ(without_secrets("python train.py --api-key=abc --lr={lr}", redacted_text),
            "python train.py --api-key=(redacted) --lr={lr}");
  EXPECT_EQ(without_secrets("train --token 'a b' --epochs 3", redacted_text),
            "train --token (redacted) --epochs 3");
  EXPECT_EQ(without_secrets("API_KEY=abc train", redacted_text), "API_KEY=(redacted) train");
  EXPECT_EQ(without_secrets(R"({"password": "abc", "lr": 1})", redacted_text),
            R"({"password": (redacted), "lr": 1})");
  EXPECT_EQ(without_secrets("curl https://me:pass@host/x", redacted_text),
            "curl https://me:(redacted)@host/x");
  EXPECT_EQ(without_secrets("train --token --lr 1", redacted_text), "train --token --lr 1");
}

TEST(redaction, leaves_no_value_of_the_environment) {
  spec what;
  what.trainable.env = {{"HOME", "/home/me"}, {"API_KEY", "abc"}};
  what.trainable.command = "train --password=abc";
  what.space = {{"lr", "uniform(0, 1)"}, {"hf_token", "abc"}};

  auto safe = redacted(what);

  EXPECT_EQ(safe.trainable.env[0].text, redacted_text);
  EXPECT_EQ(safe.trainable.env[1].text, redacted_text);
  EXPECT_EQ(safe.trainable.command, "train --password=(redacted)");
  EXPECT_EQ(safe.space[0].text, "uniform(0, 1)");
  EXPECT_EQ(safe.space[1].text, redacted_text);
}

TEST(html, shows_texts_as_texts) {
  EXPECT_EQ(html_text("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_THAT(html_text("a\x1b[31mb"), Not(HasSubstr("\x1b")));
  EXPECT_EQ(html_text("a\nb", true), "a\nb");
}

TEST(html, lets_no_json_end_its_script) {
  EXPECT_EQ(json_in_html(R"(["</script><!--"])"), R"(["\u003c/script>\u003c!--"])");
}

TEST(html, hashes_as_content_policies_want_it) {
  // printf '' | openssl dgst -sha256 -binary | base64
  EXPECT_EQ(policy_hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(policy_hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

/// Modules by their paths.
expected<std::string> bundled(const std::map<std::string, std::string>& files) {
  return bundle_of("main.js", [&](const std::string& path) -> std::optional<std::string_view> {
    auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional<std::string_view>{found->second};
  });
}

TEST(module_bundle, puts_modules_after_those_that_they_need) {
  auto text
      = bundled({{"main.js", "import {\n  a,\n  b as c,\n} from \"./core/x.js\";\nimport * as y "
                             "from \"./y.js\";\na(c, y.d);\n"},
                 {"core/x.js", "import { d } from \"../y.js\";\nexport const a = d;\nexport "
                               "function b() {}\n"},
                 {"y.js", "export class d {}\n"}});

  ASSERT_TRUE(text) << to_text(text.error());
  EXPECT_EQ(*text, R"((() => {
"use strict";
const modules = {};
modules["y.js"] = (() => {
class d {}
return { d };
})();
modules["core/x.js"] = (() => {
const { d } = modules["y.js"];
const a = d;
function b() {}
return { a, b };
})();
modules["main.js"] = (() => {
const {   a,   b: c, } = modules["core/x.js"];
const y = modules["y.js"];
a(c, y.d);
return {  };
})();
})();
)");
}

TEST(module_bundle, refuses_what_it_cannot_take_apart) {
  EXPECT_EQ(bundled({}).error().code, ec::unreadable);
  EXPECT_EQ(bundled({{"main.js", "import x from \"./x.js\";\n"}}).error().code, ec::bad_syntax);
  EXPECT_EQ(bundled({{"main.js", "import { x } from \"d3\";\n"}}).error().code, ec::bad_syntax);
  EXPECT_EQ(bundled({{"main.js", "export default 1;\n"}}).error().code, ec::bad_syntax);
  EXPECT_EQ(bundled({{"main.js", "import { a } from \"./main.js\";\n"}}).error().code,
            ec::bad_syntax);
}

TEST(report_page, forbids_all_but_its_own_script_and_style) {
  report_parts what;
  what.experiments.emplace_back();
  what.experiments.front().label = "<made-up>";
  what.experiments.front().facts.what = made_up_study();
  what.experiments.front().answers.all = {{"name", "</script>"}};

  auto page = report_html(what, {"p {}", "1;"});

  EXPECT_THAT(page, HasSubstr("default-src 'none'; base-uri 'none'; form-action 'none'; style-src '"
                              + policy_hash("p {}") + "'; script-src '" + policy_hash("1;") + "'"));
  EXPECT_THAT(page, Not(HasSubstr("<made-up>")));
  EXPECT_THAT(page, HasSubstr(R"({"name":"\u003c/script>"})"));
  EXPECT_THAT(page, HasSubstr("What to try next"));
}

TEST(report_page, does_without_charts) {
  report_parts what;
  what.experiments.emplace_back();

  auto page = report_html(what, {});

  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("built without charts"));
}

} // namespace
} // namespace tune::cli
