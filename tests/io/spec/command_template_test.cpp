// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/command_template.hpp"

#include "tune/io/spec/command_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tune;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const std::vector<std::string> known{"lr", "degree", "kernel", "optimizer.lr", "my param"};
const command_builtins builtins{"/trials/00001", "/home/u/project", "00001", "/trials/p.json"};

std::vector<std::string> words(std::string_view text, const object& config) {
  auto uut = command_template::parse(text, known);
  if (!uut)
    return {"error: " + uut.error().detail};
  return uut->render(config, builtins);
}

std::string refusal(std::string_view text) {
  auto uut = command_template::parse(text, known);
  return uut ? std::string{} : uut.error().detail;
}

TEST(command_template, replaces_parameters_within_words) {
  EXPECT_THAT(words("train --lr={lr} -k {kernel}", {{"lr", 0.1}, {"kernel", "rbf"}}),
              ElementsAre("train", "--lr=0.1", "-k", "rbf"));
  EXPECT_THAT(words("train {lr}{kernel}", {{"lr", 1}, {"kernel", "x"}}),
              ElementsAre("train", "1x"));
}

std::string unfit(std::string_view text, const object& config) {
  auto fit = check_words(*command_template::parse(text, known), config, builtins);
  return fit ? std::string{} : fit.error().detail;
}

TEST(command_template, names_the_parameter_with_a_nul_byte) {
  const std::string cut_in_two{"a\0b", 3};

  EXPECT_THAT(unfit("train -k {kernel}", {{"kernel", cut_in_two}}),
              HasSubstr("parameter \"kernel\" has a NUL byte"));
  EXPECT_EQ(unfit("train {params_file}", {{"kernel", cut_in_two}}), "");
  EXPECT_EQ(unfit("train {kernel}", {{"kernel", value::list{cut_in_two}}}), "")
      << "JSON escapes it";
}

TEST(command_template, names_the_parameter_that_makes_a_word_too_long_for_linux) {
  const std::string fits(128 * 1024 - 1, 'x');

  EXPECT_EQ(unfit("train {kernel} {degree}", {{"kernel", fits}, {"degree", fits}}), "");
  EXPECT_THAT(unfit("train {lr}{kernel}", {{"lr", 1}, {"kernel", fits}}),
              HasSubstr("parameter \"kernel\" has 131071 bytes, and Linux takes at most 131071"));
  EXPECT_THAT(unfit("train {lr}{kernel}", {{"lr", 1}, {"kernel", fits}}),
              HasSubstr("{params_file}"));
}

TEST(command_template, finds_the_longest_of_the_parameters_that_it_names) {
  auto uut = command_template::parse("train {lr} {kernel} {params_file}", known);

  EXPECT_EQ(longest_parameter(*uut, {{"lr", 0.25}, {"kernel", "rbf"}, {"degree", "not named"}}),
            (std::pair<std::string, std::size_t>{"lr", 4}));
  EXPECT_EQ(longest_parameter(*uut, {}).first, "");
}

TEST(command_template, never_splits_a_value) {
  EXPECT_THAT(words("train {kernel}", {{"kernel", "a b 'c' {lr} [d]"}}),
              ElementsAre("train", "a b 'c' {lr} [d]"));
}

TEST(command_template, renders_numbers_so_that_they_come_back) {
  EXPECT_EQ(word_of(0.1), "0.1");
  EXPECT_EQ(word_of(1e-5), "1e-05");
  EXPECT_EQ(std::stod(word_of(0.1 + 0.2)), 0.1 + 0.2);
  EXPECT_EQ(word_of(-7), "-7");
  EXPECT_EQ(word_of(true), "true");
  EXPECT_EQ(word_of("adam"), "adam");
}

TEST(command_template, renders_lists_and_objects_as_json) {
  EXPECT_EQ(word_of(value::list{1, "a"}), R"([1,"a"])");
  EXPECT_EQ(word_of(object{{"a", true}}), R"({"a":true})");
}

TEST(command_template, finds_nested_and_oddly_named_parameters) {
  object config{{"optimizer", object{{"lr", 0.5}}}, {"my param", "y"}};

  EXPECT_THAT(words("t {optimizer.lr} '{my param}'", config), ElementsAre("t", "0.5", "y"));
}

TEST(command_template, fills_in_what_the_runtime_knows) {
  EXPECT_THAT(words("t {trial_dir}/x {ini_dir}/y {trial_id} {params_file}", {}),
              ElementsAre("t", "/trials/00001/x", "/home/u/project/y", "00001", "/trials/p.json"));
}

TEST(command_template, finds_words_beginning_with_a_dot_and_slash_beside_the_ini_file) {
  EXPECT_THAT(words("./train.sh ./data.csv --out=./x ../y {kernel}", {{"kernel", "./z"}}),
              ElementsAre("/home/u/project/train.sh", "/home/u/project/data.csv", "--out=./x",
                          "../y", "./z"));
}

TEST(command_template, writes_braces_where_they_are_doubled) {
  EXPECT_THAT(words("t {{lr}} {{{lr}}}", {{"lr", 1}}), ElementsAre("t", "{lr}", "{1}"));
}

TEST(command_template, leaves_braces_alone_that_hold_no_identifier) {
  EXPECT_THAT(
      words(R"(awk '{print $1}' '{"a": {"b": 1}}' '{"c":{"d":1}}' {} {1})", {}),
      ElementsAre("awk", "{print $1}", R"({"a": {"b": 1}})", R"({"c":{"d":1}})", "{}", "{1}"));
}

TEST(command_template, drops_words_of_inactive_parameters) {
  EXPECT_THAT(words("t --degree={degree} {kernel}", {{"kernel", "rbf"}}), ElementsAre("t", "rbf"));
}

TEST(command_template, drops_groups_with_inactive_parameters_whole) {
  auto text = "t [-d {degree} -x] -k {kernel} [--lr={lr}] [ -a {lr} ]";

  EXPECT_THAT(words(text, {{"kernel", "poly"}, {"degree", 3}, {"lr", 0.5}}),
              ElementsAre("t", "-d", "3", "-x", "-k", "poly", "--lr=0.5", "-a", "0.5"));
  EXPECT_THAT(words(text, {{"kernel", "rbf"}}), ElementsAre("t", "-k", "rbf"));
}

TEST(command_template, keeps_neighbouring_groups_apart) {
  EXPECT_THAT(words("t [-d {degree}] [-k {kernel}]", {{"kernel", "rbf"}}),
              ElementsAre("t", "-k", "rbf"));
  EXPECT_THAT(words("t [-d {degree}] [-k {kernel}]", {{"degree", 2}}), ElementsAre("t", "-d", "2"));
}

TEST(command_template, takes_brackets_as_characters_where_quoted_or_without_parameters) {
  EXPECT_THAT(words("t '[{lr}]' [1,2] x[0]", {{"lr", 1}}),
              ElementsAre("t", "[1]", "[1,2]", "x[0]"));
}

TEST(command_template, refuses_unknown_names_with_the_nearest) {
  EXPECT_THAT(refusal("t {degre}"), HasSubstr("did you mean {degree}?"));
  EXPECT_THAT(refusal("t {trial_dr}"), HasSubstr("did you mean {trial_dir}?"));
  EXPECT_THAT(refusal("t {zzzzzz}"), HasSubstr("known: lr, degree"));
  EXPECT_THAT(refusal("t {zzzzzz}"), HasSubstr("{{zzzzzz}}"));
}

TEST(command_template, refuses_broken_groups_and_empty_commands) {
  EXPECT_THAT(refusal("t [-d {degree}"), HasSubstr("not closed"));
  EXPECT_THAT(refusal("t [-d [-e {degree}]"), HasSubstr("nest"));
  EXPECT_THAT(refusal(""), HasSubstr("program"));
  EXPECT_THAT(refusal("[{lr}] t"), HasSubstr("program"));
  EXPECT_THAT(refusal("t 'x"), HasSubstr("column 3"));
}

TEST(command_template, renders_nothing_without_a_program) {
  EXPECT_THAT(words("{kernel} -x", {}), IsEmpty());
}

TEST(command_template, lists_its_names_and_fixed_words) {
  auto uut = command_template::parse("t {lr} -x {trial_dir} {lr} a{lr}", known);

  ASSERT_TRUE(uut);
  EXPECT_THAT(uut->names(), ElementsAre("lr", "trial_dir"));
  EXPECT_THAT(uut->fixed_words(), ElementsAre("t", "-x"));
}

TEST(command_template, lists_what_stands_against_the_directory_of_the_ini_file) {
  auto uut = command_template::parse(
      "./t {ini_dir}/../a.csv --in={ini_dir}/b '[./c' [./d {lr}] {ini_dir} {ini_dir}x ./{lr} "
      "{ini_dir}/e{lr} {lr}{ini_dir}/f {ini_dir}/g:{ini_dir}/h x./i /j",
      known);

  ASSERT_TRUE(uut);
  EXPECT_THAT(uut->ini_paths(), ElementsAre("t", "../a.csv", "b", "d", "f", "h"));
}

TEST(command_template, has_a_group_where_its_condition_holds) {
  const object on{{"kernel", true}, {"degree", 3}};
  EXPECT_THAT(words("train [--k if kernel] [--no-k if not kernel] x", on),
              ElementsAre("train", "--k", "x"));
  EXPECT_THAT(words("train [--k if kernel] [--no-k if not kernel]", {{"kernel", false}}),
              ElementsAre("train", "--no-k"));
  EXPECT_THAT(words("train [--k if kernel] [--no-k if not kernel]", {{"lr", 1}}),
              ElementsAre("train"))
      << "an inactive parameter decides nothing";
  EXPECT_THAT(words("train [-d {degree} if degree > 2 and kernel]", on),
              ElementsAre("train", "-d", "3"));
  EXPECT_THAT(words("train [-d {degree} if degree > 3] [-o if kernel == 'a b']",
                    {{"degree", 3}, {"kernel", "a b"}}),
              ElementsAre("train", "-o"));
  EXPECT_THAT(words("train [-d {degree} -l {lr} if kernel]", on), ElementsAre("train"))
      << "a parameter in it is inactive";
}

TEST(command_template, refuses_conditions_of_groups_that_mean_nothing) {
  EXPECT_THAT(refusal("train [--k if kernl]"),
              HasSubstr("\"if kernl\" of a group: kernl is not a parameter; did you mean kernel?"));
  EXPECT_THAT(refusal("train [--k if kernel >]"), HasSubstr("the condition \"if kernel >\""));
  EXPECT_THAT(words("train '[a' if 'b]' [if]", {}), ElementsAre("train", "[a", "if", "b]", "[if]"));
}

} // namespace
