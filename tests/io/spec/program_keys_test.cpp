// The keys for passing parameters to a program, and for reading its output.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/spec/spec_support.hpp"
#include "support/processes.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/print.hpp"
#include "tune/io/spec/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

using namespace tune;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The shortest configuration, with `more` lines in [trainable].
std::string with(const std::string& more) {
  std::string text{support::small};
  return text.replace(text.find("[space]"), 7, more + "\n[space]");
}

spec loaded(const std::string& more) {
  auto result = support::load_text(with(more));
  EXPECT_TRUE(result) << to_text(result.faults);
  return result ? result.loaded->what : spec{};
}

std::string refusal(const std::string& more) {
  auto result = support::load_text(with(more));
  return result ? std::string{} : to_text(result.faults);
}

TEST(program_keys, replace_parameters_in_variables) {
  auto uut = loaded("env.ALPHA = {lr}\nenv.JSON = {\"a\": {}}\nenv.TEXT = {{lr}}");
  auto filled = [&](std::size_t i) {
    return text_template::parse(uut.trainable.env[i].text, {"lr"})->render({{"lr", 0.5}}, {});
  };
  EXPECT_EQ(filled(0), "0.5");
  EXPECT_EQ(filled(1), "{\"a\": {}}");
  EXPECT_EQ(filled(2), "{lr}");
}

TEST(program_keys, refuse_a_variable_that_names_no_parameter) {
  EXPECT_THAT(
      refusal("env.ALPHA = {alpha}"),
      HasSubstr("/nowhere/digits.ini:5: [trainable] env.ALPHA: {alpha} is not a parameter"));
  EXPECT_THAT(refusal("env.ALPHA = {lrr}"), HasSubstr("did you mean {lr}?"));
}

/// Warnings for these lines of [trainable], with these further lines in the space.
std::vector<std::string> warnings_of(const std::string& more, const std::string& space) {
  auto result = support::load_text(with(more) + space);
  EXPECT_TRUE(result) << to_text(result.faults);
  return result.warnings;
}

TEST(program_keys, warn_of_devices_that_the_runtime_grants) {
  const std::string gpu = "[resources]\ngpu = 1\n";
  EXPECT_THAT(warnings_of("env.CUDA_VISIBLE_DEVICES = 5\nenv.LR = {lr}", gpu),
              ElementsAre(HasSubstr("/nowhere/digits.ini:5: [trainable] env.CUDA_VISIBLE_DEVICES: "
                                    "has no effect on a machine that offers GPUs")));
  EXPECT_THAT(warnings_of("env.CUDA_VISIBLE_DEVICES =\nenv.LR = {lr}", gpu),
              ElementsAre(HasSubstr("env.CUDA_VISIBLE_DEVICES: has no effect")));
  EXPECT_THAT(warnings_of("env.CUDA_VISIBLE_DEVICES =\nenv.LR = {lr}", ""), ElementsAre());
}

TEST(program_keys, warn_of_parameters_that_nothing_hands_over_unlike_others) {
  EXPECT_THAT(warnings_of("env.LR = {lr}", "depth = randint(1, 9)\nwidth = choice(1, 2)\n"),
              ElementsAre(HasSubstr("[space] depth, width: in no command, env. or template, unlike "
                                    "{lr}; unless the program reads them by itself")));
}

TEST(program_keys, do_not_warn_of_parameters_that_are_handed_over) {
  EXPECT_THAT(warnings_of("env.LR = {lr}\nenv.D = {depth}", "depth = randint(1, 9)\n"),
              ElementsAre());
  EXPECT_THAT(warnings_of("env.LR = {lr}", "depth = 5\n"), ElementsAre()) << "a constant";
  EXPECT_THAT(warnings_of("env.LR = {lr}\nenv.W = {width}",
                          "depth = randint(1, 9)\nwidth = uniform(0, 1) if depth > 3\n"),
              ElementsAre())
      << "it decides about another one";
}

TEST(program_keys, do_not_warn_where_the_program_reads_parameters_by_itself) {
  auto handed_none = with("") + "depth = randint(1, 9)\n";
  for (auto at = handed_none.find("{lr}"); at != std::string::npos; at = handed_none.find("{lr}"))
    handed_none.replace(at, 4, "0.1");
  EXPECT_THAT(support::load_text(handed_none).warnings, ElementsAre());
  EXPECT_THAT(warnings_of("env.ALL = {params_file}\nenv.LR = {lr}", "depth = randint(1, 9)\n"),
              ElementsAre());
}

/// Warnings for a command with these further words.
std::vector<std::string> warnings_of_words(const std::string& words) {
  auto result = support::load_text("[experiment]\nmetric = loss\n[trainable]\ncommand = true {lr} "
                                   + words + "\n[space]\nlr = uniform(0, 1)\n");
  EXPECT_TRUE(result) << to_text(result.faults);
  return result.warnings;
}

TEST(program_keys, warn_of_words_that_only_a_shell_understands) {
  for (const std::string word : {"> out.txt", ">out.txt", "2>&1", "| tee x", "&& echo", "; echo",
                                 "$HOME", "${{HOME}}", "$(pwd)", "< in", "2> err"}) {
    const auto first = word.substr(0, word.find(' '));
    EXPECT_THAT(warnings_of_words(word), ElementsAre(HasSubstr("there is no shell, and the program "
                                                               "gets \"")))
        << first;
  }
}

TEST(program_keys, do_not_warn_of_quoted_words_and_of_what_is_none_of_the_shells) {
  for (const std::string word :
       {"'|'", "\\|", "sh -c 'echo a > b | c; $HOME'", "--min>3", "$1", "'$HOME'", "a;b",
        "-F '|' -x \"&&\"", "[--big if lr > 1]", "[-x {lr} if lr < 0.5] y"})
    EXPECT_THAT(warnings_of_words(word), ElementsAre()) << word;
  EXPECT_THAT(warnings_of_words("[--big if lr > 1] > out"),
              ElementsAre(HasSubstr("the program gets \">\"")));
  EXPECT_THAT(warnings_of_words("[> out if lr > 1]"), ElementsAre()) << "\"[>\" is no word";
}

TEST(program_keys, leave_a_variable_out_whose_parameter_is_inactive) {
  auto uut = text_template::parse("-{d}-", {"d"});
  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->render({{"e", 1}}, {}), std::nullopt);
}

TEST(program_keys, keep_variables_of_older_records_as_they_were_passed) {
  auto now = loaded("env.A = {lr}\nenv.B = {\"lr\":1}");
  now.trainable.env[0].text = "{lr} }} {{x}} {x}";
  auto json = to_json(now);
  const std::string news = "\"template\":\"\",";
  ASSERT_THAT(json, HasSubstr(news));
  EXPECT_EQ(spec_from_json(json)->trainable.env[0].text, now.trainable.env[0].text);
  json.erase(json.find(news), news.size());

  auto old = spec_from_json(json);

  ASSERT_TRUE(old) << old.error().detail;
  auto text = text_template::parse(old->trainable.env[0].text, {"lr"});
  ASSERT_TRUE(text) << text.error().detail;
  EXPECT_EQ(text->render({{"lr", 1}}, {}), "{lr} }} {{x}} {x}");
  EXPECT_EQ(old->trainable.env[1].text, "{\"lr\":1}");
}

TEST(program_keys, read_metrics_of_files_and_of_either_stream) {
  auto uut = loaded("metric.accuracy = file:out/r.json:/acc\nmetric.loss = loss {number}\n"
                    "stream = both\npty = false");
  auto patterns = patterns_of(uut);
  ASSERT_TRUE(patterns);
  EXPECT_THAT(patterns->files, ElementsAre(file_metric{"accuracy", "out/r.json", "/acc"}));
  EXPECT_EQ(patterns->metrics.size(), 1u);
  EXPECT_EQ(patterns->stream, metric_stream::both);
  EXPECT_EQ(uut.trainable.pty, false);
  EXPECT_EQ(loaded("pty = auto").trainable.pty, std::nullopt);
}

TEST(program_keys, name_what_is_wrong_and_what_is_legal) {
  EXPECT_THAT(refusal("stream = out"), HasSubstr("must be one of: stdout, stderr, both"));
  EXPECT_THAT(refusal("pty = maybe"), HasSubstr("must be one of: auto, true, false"));
  EXPECT_THAT(refusal("metric.accuracy = file:/r.json:/acc"),
              HasSubstr("metric.accuracy = file:/r.json:/acc: \"/r.json\" must be a file in the"));
  EXPECT_THAT(refusal("metric.accuracy = acc = [0-9]"), HasSubstr("needs {number}, or a group"));
  EXPECT_THAT(refusal("metric.accuracy = acc = {nmber}"), HasSubstr("or are {number}"));
  EXPECT_THAT(refusal("template = a.in"), HasSubstr("template = a.in: must be a list such as"));
  EXPECT_THAT(refusal("template = a.in -> ../a"), HasSubstr("must be a file in the trial's"));
  EXPECT_THAT(refusal("template = a.in -> params.json"), HasSubstr("is a name of the runtime"));
  EXPECT_THAT(refusal("template = a.in -> .tune_x"), HasSubstr("is a name of the runtime"));
  EXPECT_THAT(refusal("template = a.in -> d/" + std::string(241, 'n')),
              HasSubstr("a name in it has more than 240 bytes"));
  EXPECT_THAT(refusal("template = a.in -> a, b.in -> ./a"), HasSubstr("\"a\" is written twice"));
  EXPECT_THAT(refusal("template = a.in -> a"), HasSubstr("\"/nowhere/a.in\" does not exist"));
}

TEST(program_keys, come_back_as_they_are_printed) {
  auto uut = loaded("stream = stderr\npty = true\nmetric.accuracy = a {number}");
  uut.trainable.templates = {{"a b.in", "c/a b"}, {"x.in", "x"}};
  auto back = spec_from_json(to_json(uut));
  ASSERT_TRUE(back) << back.error().detail;
  EXPECT_EQ(*back, uut);
  EXPECT_EQ(*parse_template_pairs(template_pairs_text(uut.trainable.templates)),
            uut.trainable.templates);
}

struct template_file_test : testing::Test {
  support::scratch_directory scratch;

  expected<template_file> of(const std::string& text) {
    std::ofstream{scratch.path() / "t.in"} << text;
    return template_file::load(scratch.path() / "t.in", "t", {"lr", "model.depth"});
  }
};

TEST_F(template_file_test, replaces_parameters_in_each_line) {
  auto uut = of("[opt]\nlr = {lr} # {{lr}}\npoint = { x = 1 }\n[model]\ndepth={model.depth}");
  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(*uut->render({{"lr", 0.1}, {"model", object{{"depth", 3}}}}, {}),
            "[opt]\nlr = 0.1 # {lr}\npoint = { x = 1 }\n[model]\ndepth=3");
}

TEST_F(template_file_test, leaves_lines_out_that_name_an_inactive_parameter) {
  EXPECT_EQ(*of("a\ndepth = {model.depth}\nb\n")->render({{"lr", 1}}, {}), "a\nb\n");
  EXPECT_EQ(*of("")->render({{"lr", 1}}, {}), "");
}

TEST_F(template_file_test, writes_no_more_than_64_mib) {
  std::string text;
  for (int i = 0; i < 700; ++i)
    text += i % 2 == 0 ? "{lr}\n" : "{lr} # {lr}\n";
  auto uut = of(text);
  auto content = uut->render({{"lr", std::string(100'000, 'x')}}, {});
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, ec::refused);
  EXPECT_THAT(content.error().detail, HasSubstr("\"t\" would have more than 67108864 bytes"));
  EXPECT_EQ(uut->render({{"lr", std::string(1000, 'x')}}, {})->size(), 700 * 1001u + 350 * 1003u);
}

TEST_F(template_file_test, names_the_line_with_an_unknown_parameter) {
  auto uut = of("a\nlr = {lrr}\n");
  ASSERT_FALSE(uut);
  EXPECT_THAT(uut.error().detail,
              HasSubstr("t.in:2: {lrr} is not a parameter; did you mean {lr}?"));
}

TEST_F(template_file_test, knows_whether_it_is_a_program) {
  std::ofstream{scratch.path() / "t.in"} << "#!/bin/sh\n";
  EXPECT_FALSE(of("#!/bin/sh\n")->is_program());
  std::filesystem::permissions(scratch.path() / "t.in", std::filesystem::perms::owner_all);
  EXPECT_TRUE(of("#!/bin/sh\n")->is_program());
}

} // namespace
