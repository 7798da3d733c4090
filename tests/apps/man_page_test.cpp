// SPDX-License-Identifier: BSD-3-Clause
#include "command/man_page.hpp"

#include "command/command_table.hpp"
#include "exit_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace tune::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The page as it is read: without the escapes that roff takes away.
std::string as_read(std::string page) {
  for (auto at = page.find("\\-"); at != page.npos; at = page.find("\\-", at))
    page.erase(at, 1);
  return page;
}

TEST(man_page, names_every_command_and_option) {
  const auto page = as_read(man_page());

  EXPECT_THAT(page, StartsWith(".TH tune-node 1 "));
  for (const auto& x : commands()) {
    EXPECT_THAT(page, HasSubstr("\n.SS " + std::string{x.name} + "\n"));
    for (const auto& option : x.options)
      EXPECT_THAT(page, HasSubstr("\n.B " + option_text(option) + "\n"));
  }
  for (const auto& x : global_options())
    EXPECT_THAT(page, HasSubstr("\n.B " + option_text(x) + "\n"));
  for (const auto& x : exit_code_docs())
    EXPECT_THAT(page, HasSubstr("\n.B " + std::to_string(static_cast<int>(x.code)) + "\n"));
}

TEST(man_page, has_no_line_that_roff_would_take_for_a_request_of_its_own) {
  std::istringstream page{man_page()};

  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(".") && !line.starts_with("'"))
      continue;
    const auto request = line.substr(0, line.find(' '));
    static constexpr std::string_view known[]{".TH", ".SH", ".SS", ".TP", ".B",  ".I",
                                              ".RI", ".PP", ".nf", ".fi", ".RS", ".RE"};
    EXPECT_NE(std::find(std::begin(known), std::end(known), request), std::end(known)) << line;
  }
}

TEST(man_page, shows_backslashes_as_they_are) {
  const auto page = man_page();

  for (std::size_t at = page.find('\\'); at != page.npos; at = page.find('\\', at + 2))
    EXPECT_THAT("-e&", HasSubstr(page.substr(at + 1, 1))) << page.substr(at, 20);
}

} // namespace
} // namespace tune::cli
