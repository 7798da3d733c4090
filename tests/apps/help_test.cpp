// SPDX-License-Identifier: BSD-3-Clause
#include "command/help.hpp"

#include "command/command_table.hpp"
#include "console/text.hpp"
#include "exit_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace tune::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(help, short_one_shows_examples_before_commands) {
  auto text = help_text({"", false}, {});

  auto example = text.find("tune-node run digits.ini");
  ASSERT_NE(example, text.npos);
  EXPECT_LT(example, text.find("\ncommands\n"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40) << "fits a window";
}

TEST(help, short_one_names_every_command) {
  auto text = help_text({"", false}, {});

  for (const auto& command : commands())
    EXPECT_THAT(text.substr(text.find("\ncommands\n")), HasSubstr(std::string{command.name}));
  EXPECT_THAT(text,
              ContainsRegex("stop, pause, unpause, add, retry +steer a running experiment\n"));
}

TEST(help, of_a_command_names_all_its_options) {
  for (const auto& command : commands()) {
    auto text = help_text({std::string{command.name}, false}, {});
    EXPECT_THAT(text, HasSubstr(usage_line(command)));
    for (const auto& option : command.options)
      EXPECT_THAT(text, HasSubstr(option_text(option)));
  }
}

TEST(help, whole_one_names_everything) {
  auto text = help_text({"", true}, {});

  for (const auto& command : commands())
    EXPECT_THAT(text, HasSubstr(usage_line(command)));
  for (const auto& option : global_options())
    EXPECT_THAT(text, HasSubstr(option_text(option)));
  for (const auto& code : exit_code_docs())
    EXPECT_THAT(text, HasSubstr("  " + std::to_string(static_cast<int>(code.code)) + " "));
}

TEST(help, fits_80_columns_but_for_examples_and_usage) {
  std::vector<help_request> all{{"", false}, {"", true}};
  for (const auto& command : commands())
    all.push_back({std::string{command.name}, false});
  for (const auto& what : all) {
    std::istringstream lines{help_text(what, {})};
    for (std::string line; std::getline(lines, line);)
      if (line.find("tune-node") == line.npos) {
        EXPECT_LE(display_width(line), 80u) << line;
      }
  }
}

TEST(help, whole_one_of_run_has_the_keys_of_the_file) {
  EXPECT_THAT(help_text({"run", true}, {}), HasSubstr("--experiment.num_samples"));
  EXPECT_THAT(help_text({"trials", true}, {}), Not(HasSubstr("--experiment.num_samples")));
}

/// The words behind "tune-node", as a shell would split them: up to a bracket or redirection.
words words_of(std::string_view line) {
  constexpr std::string_view program = "tune-node ";
  line.remove_prefix(line.find(program) + program.size());
  words result{""};
  bool inside = false;
  for (auto c : line) {
    if (c == '\'')
      inside = !inside;
    else if (!inside && (c == ')' || c == '>'))
      break;
    else if (!inside && c == ' ')
      result.emplace_back();
    else
      result.back() += c;
  }
  std::erase(result, "");
  return result;
}

TEST(help, examples_are_command_lines_that_parse) {
  for (const auto& command : commands()) {
    ASSERT_FALSE(command.examples.empty());
    for (const auto& example : command.examples) {
      // Others show what else belongs to it, such as a program of the user's.
      if (!example.line.starts_with("tune-node "))
        continue;
      auto line = example.line.substr(0, example.line.find(" < "));
      EXPECT_TRUE(parse(words_of(line))) << line;
    }
  }
}

TEST(version, names_program_and_framework) {
  EXPECT_THAT(version_text("0.17.6", output_format::table), StartsWith("tune-node "));
  EXPECT_THAT(version_text("0.17.6", output_format::table), HasSubstr(" (CAF 0.17.6)\n"));
  EXPECT_THAT(version_text("0.17.6", output_format::json), HasSubstr(R"("caf":"0.17.6"})"));
}

TEST(exit_codes, are_the_documented_numbers) {
  std::vector<int> numbers;
  for (const auto& x : exit_code_docs())
    numbers.push_back(static_cast<int>(x.code));
  EXPECT_THAT(numbers, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 75, 129, 130, 143));
}

TEST(exit_codes, follow_from_errors) {
  EXPECT_EQ(exit_code_for(ec::bad_option), exit_code::configuration);
  EXPECT_EQ(exit_code_for(ec::unreadable), exit_code::configuration);
  EXPECT_EQ(exit_code_for(ec::storage), exit_code::storage);
  EXPECT_EQ(exit_code_for(ec::refused), exit_code::refused);
  EXPECT_EQ(exit_code_for(ec::internal), exit_code::internal);
}

} // namespace
} // namespace tune::cli
