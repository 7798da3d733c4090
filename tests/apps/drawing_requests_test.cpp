// The command lines of report, plot and top.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/at_head.hpp"
#include "command/command_line.hpp"
#include "command/command_table.hpp"
#include "command/completion.hpp"
#include "command/help.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

template <class Request>
Request parsed(const words& all) {
  auto line = parse(all);
  if (!line) {
    ADD_FAILURE() << to_text(line.error());
    return {};
  }
  EXPECT_FALSE(line->output) << "o names a file";
  return std::get<Request>(line->what);
}

std::string refused(const words& all) {
  auto line = parse(all);
  EXPECT_FALSE(line);
  return line ? std::string{} : to_text(line.error());
}

TEST(drawing_requests, take_o_for_a_file) {
  auto report = parsed<report_request>({"report", "a", "b", "-o", "x.html"});
  auto before = parsed<report_request>({"-o", "x.html", "report", "a"});
  auto plot = parsed<plot_request>({"plot", "a", "rungs", "--output=x.svg"});

  EXPECT_EQ(report.directories, (words{"a", "b"}));
  EXPECT_EQ(report.file, "x.html");
  EXPECT_EQ(before.file, "x.html");
  EXPECT_EQ(plot.file, "x.svg");
  EXPECT_EQ(plot.wish.what, chart_kind::rungs);
}

TEST(drawing_requests, leave_o_of_other_commands_as_it_is) {
  auto line = parse({"status", "a", "-o", "json"});

  ASSERT_TRUE(line);
  EXPECT_EQ(line->output, output_format::json);
  EXPECT_THAT(refused({"status", "a", "-o", "x.html"}), HasSubstr("--output is one of table"));
}

TEST(drawing_requests, of_plot_know_axes_and_sizes) {
  auto curves
      = parsed<plot_request>({"plot", "a", "curves", "--x", "cost", "--log", "--trials", "5"});
  auto both = parsed<plot_request>({"plot", "a", "slice", "--log=xy", "--parameter", "lr"});

  EXPECT_EQ(curves.wish.across, chart_across::cost);
  EXPECT_TRUE(curves.wish.log_y);
  EXPECT_FALSE(curves.wish.log_x);
  EXPECT_EQ(curves.trials, 5u);
  EXPECT_TRUE(both.wish.log_x);
  EXPECT_EQ(both.wish.parameter, "lr");
  EXPECT_EQ(parsed<plot_request>({"plot", "a", "history", "--x", "trial"}).wish.across,
            chart_across::trial);
}

TEST(drawing_requests, of_plot_refuse_what_makes_no_sense) {
  EXPECT_THAT(refused({"plot", "a", "history", "--x", "cost"}), HasSubstr("no --x cost"));
  EXPECT_THAT(refused({"plot", "a", "pie"}), HasSubstr("one of history"));
  EXPECT_THAT(refused({"plot", "a", "--parameter", "lr"}), HasSubstr("for slice"));
  EXPECT_THAT(refused({"plot", "a", "--width", "10001"}), HasSubstr("from 20 to 10000"));
  EXPECT_THAT(refused({"plot", "a", "-o", "x.svg", "--height", "9"}), HasSubstr("from 150"));
  EXPECT_THAT(refused({"plot", "a", "--trials", "0"}), HasSubstr("--trials"));
}

TEST(drawing_requests, let_no_head_write_files) {
  EXPECT_THAT(refused({"plot", "a", "--head", "h:1", "-o", "x.svg"}), HasSubstr("-o -"));
  auto line = parse({"plot", "a", "rungs", "--head", "h:1", "-o", "-"});
  ASSERT_TRUE(line);
  ASSERT_TRUE(line->at_head);

  auto whole = line->at_head->command;
  EXPECT_TRUE(words_at_head(whole, {"/storage/a"}));
  whole.options = {"--output=/etc/passwd"};
  EXPECT_FALSE(words_at_head(whole, {"/storage/a"}));
}

TEST(drawing_requests, of_top_know_a_head) {
  auto here = parsed<top_request>({"top"});
  auto there = parsed<top_request>({"top", "a", "--head", "h:1", "--cluster", "c"});

  EXPECT_TRUE(here.directory.empty());
  EXPECT_FALSE(here.head);
  EXPECT_EQ(there.head->first.port, 1);
  EXPECT_EQ(there.cluster, "c");
  EXPECT_THAT(refused({"top", "--head", "h:1"}), HasSubstr("needs the name"));
  EXPECT_THAT(refused({"top", "a", "--certs", "c"}), HasSubstr("goes with --head"));
}

TEST(drawing_requests, are_told_once_in_help) {
  auto text = help_text({"report", true}, {});

  EXPECT_THAT(text, HasSubstr("-o, --output FILE"));
  EXPECT_THAT(text, Not(HasSubstr("-o, --output FORMAT")));
}

TEST(drawing_requests, are_completed_as_files) {
  EXPECT_THAT(completion_script(completion_request::shell::bash),
              HasSubstr("'report --output'|'report -o') COMPREPLY=($(compgen -f"));
  EXPECT_THAT(completion_script(completion_request::shell::fish),
              HasSubstr("-n 'not __fish_seen_subcommand_from report plot' -l output -s o -x"));
}

} // namespace
} // namespace tune::cli
