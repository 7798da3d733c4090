// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_table.hpp"
#include "exit_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace tune::cli {
namespace {

using testing::HasSubstr;

/// docs/cli.md; bars within tables are written `\|`.
std::string document() {
  std::ifstream in{TUNE_SOURCE_DIR "/docs/cli.md"};
  std::string result{std::istreambuf_iterator<char>{in}, {}};
  for (auto i = result.find("\\|"); i != result.npos; i = result.find("\\|", i))
    result.erase(i, 1);
  return result;
}

TEST(cli_document, has_every_command_as_it_is_used) {
  for (const auto& x : commands())
    EXPECT_THAT(document(), HasSubstr("| `" + usage_line(x) + "` |"));
}

TEST(cli_document, has_every_option_with_its_choices) {
  auto text = document();
  auto expect = [&](const option_doc& x) {
    auto row = text.find("| `" + option_text(x) + "` |");
    ASSERT_NE(row, text.npos) << option_text(x);
    auto line = text.substr(row, text.find('\n', row) - row);
    for (auto choice : x.choices)
      EXPECT_THAT(line, HasSubstr("`" + std::string{choice} + "`"));
  };
  for (const auto& option : global_options())
    expect(option);
  for (const auto& command : commands())
    for (const auto& option : command.options)
      expect(option);
}

TEST(cli_document, has_every_exit_code) {
  for (const auto& x : exit_code_docs())
    EXPECT_THAT(document(), HasSubstr("\n| " + std::to_string(static_cast<int>(x.code)) + " | "));
}

} // namespace
} // namespace tune::cli
