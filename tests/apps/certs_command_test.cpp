// SPDX-License-Identifier: BSD-3-Clause
#include "certs_command.hpp"

#include "io/scratch_directory.hpp"
#include "tune/io/certificates/own_certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tune::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class certs_command : public samples::scratch_directory {
protected:
  /// What the command says on stdout, or behind "refused: " and the like on stderr.
  std::string said(words all, output_format format = output_format::table) {
    all.insert(all.begin(), "certs");
    auto line = parse(all);
    EXPECT_TRUE(line) << (line ? "" : to_text(line.error()));
    if (!line)
      return {};
    std::ostringstream out;
    auto done = run_certs(std::get<certs_request>(line->what), format, {}, out);
    return done ? out.str()
                : std::string{to_text(done.error().code)} + ": " + to_text(done.error());
  }

  [[nodiscard]] std::string at(const std::string& name) const { return (root / name).string(); }
};

TEST_F(certs_command, makes_a_cluster_that_a_node_can_be_issued_for) {
  EXPECT_THAT(said({"init", "--certs", at("c"), "--cluster", "lab"}),
              StartsWith("made a CA and a certificate for this machine in " + at("c") + "\n"));
  EXPECT_THAT(said({"init", "--certs", at("c")}), StartsWith("nothing to do, everything is there"));
  EXPECT_THAT(said({"issue", "w1", "--certs", at("c"), "--out", at("o"), "--days", "7"}),
              HasSubstr(" days left: renew it)"));

  auto head = load_own_certificate(root / "c");
  auto worker = load_own_certificate(root / "o");
  ASSERT_TRUE(head) << to_text(head.error());
  ASSERT_TRUE(worker) << to_text(worker.error());
  EXPECT_EQ(head->authority.fingerprint, worker->authority.fingerprint);
  EXPECT_THAT(head->authority.name, StartsWith("lab "));
  EXPECT_EQ(worker->certificate.name, "w1");
}

TEST_F(certs_command, renews_this_machines_certificate_where_nothing_else_is_said) {
  (void)said({"init", "--certs", at("c")});
  EXPECT_THAT(said({"issue", "head", "--certs", at("c")}), StartsWith("refused: "));
  EXPECT_THAT(said({"issue", "head", "--certs", at("c"), "--force", "--host", "10.0.0.1"}),
              HasSubstr("head, 10.0.0.1"));
  EXPECT_TRUE(load_own_certificate(root / "c"));
}

TEST_F(certs_command, shows_directories_and_files) {
  (void)said({"init", "--certs", at("c")});
  EXPECT_THAT(said({"show", "--certs", at("c")}), HasSubstr("/ca.pem\n"));
  EXPECT_EQ(said({"show", at("c")}), said({"show", "--certs", at("c")}));
  EXPECT_THAT(said({"show", at("c/node.pem")}, output_format::json),
              StartsWith("[\n  {\"file\":\"" + at("c/node.pem") + "\",\"authority\":false,"));
  EXPECT_THAT(said({"show", at("c/node.key")}), StartsWith("refused: "));
  EXPECT_THAT(said({"show", at("d")}), StartsWith("storage: "));
}

TEST_F(certs_command, says_nothing_but_the_result_to_programs) {
  auto text = said({"init", "--certs", at("c")}, output_format::jsonl);
  EXPECT_THAT(text, StartsWith("{\"file\":"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(certs_exit_code, is_documented) {
  EXPECT_EQ(certs_exit_code(ec::bad_option), exit_code::usage);
  EXPECT_EQ(certs_exit_code(ec::storage), exit_code::storage);
  EXPECT_EQ(certs_exit_code(ec::refused), exit_code::refused);
}

} // namespace
} // namespace tune::cli
