// SPDX-License-Identifier: BSD-3-Clause
#include "certificate_samples.hpp"

#include "tune/io/certificates/own_certificate.hpp"
#include "tune/io/certificates/revocation_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using testing::HasSubstr;

class revocation_test : public samples::certificate_test {
protected:
  static certificate_facts facts_in(const std::filesystem::path& directory) {
    auto found = read_certificate(content(directory / "node.pem"));
    EXPECT_TRUE(found);
    return found ? *found : certificate_facts{};
  }
};

TEST(revocation_list, comes_back_from_its_text) {
  revocation_list uut;
  uut.add_name("w1", calendar_time{seconds{1'900'000'000}});
  uut.add_fingerprint(std::string(64, 'f'));

  const auto back = revocation_list::parse("# of the lab\n\n" + uut.text());

  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(*back, uut);
  EXPECT_EQ(uut.text(), "name w1 2030-03-17T17:46:40Z\nsha256 " + std::string(64, 'f') + "\n");
}

TEST(revocation_list, names_the_line_that_is_wrong) {
  const std::vector<std::string> wrong{"w1",
                                       "name w1",
                                       "name w1 yesterday",
                                       "name w1 2030-02-31T00:00:00Z",
                                       "name a/b 2030-01-01T00:00:00Z",
                                       "sha256 abc",
                                       "sha256 " + std::string(64, 'F'),
                                       "name w1 2030-01-01T00:00:00Z more"};
  for (const auto& line : wrong) {
    const auto back = revocation_list::parse("\n" + line + "\n");
    ASSERT_FALSE(back) << line;
    EXPECT_THAT(back.error().detail, HasSubstr("line 2"));
  }
}

TEST_F(revocation_test, has_all_certificates_of_a_name_that_there_were) {
  const auto cluster = make_cluster("lab");
  ASSERT_TRUE(issue_certificates(cluster, root / "w", order("w")));
  const auto former = facts_in(root / "w");

  ASSERT_TRUE(revoke_certificate(cluster, "w", now));
  auto again = order("w");
  again.force = true;
  ASSERT_TRUE(issue_certificates(cluster, root / "w", again));

  const auto list = load_revocations(revocation_file_in(cluster));
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->has(former));
  EXPECT_FALSE(list->has(facts_in(root / "w")));
  EXPECT_EQ(facts_in(root / "w").valid.from, now + seconds{1});
}

TEST_F(revocation_test, has_what_tokens_gave_under_a_name) {
  const auto cluster = make_cluster("lab");
  auto facts_of = [&](const std::string& name) {
    EXPECT_TRUE(issue_certificates(cluster, root / name, order(name)));
    return facts_in(root / name);
  };

  ASSERT_TRUE(revoke_certificate(cluster, "w", now));

  const auto list = load_revocations(revocation_file_in(cluster));
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->has(facts_of("w-0a1b2c3d")));
  for (const std::string other : {"w-gpu", "w-0a1b2c3", "w0a1b2c3d", "v-0a1b2c3d", "w-0A1B2C3D"})
    EXPECT_FALSE(list->has(facts_of(other))) << other;
}

TEST_F(revocation_test, is_empty_where_there_is_no_file_and_refused_where_it_is_damaged) {
  const auto none = load_revocations(root / "none");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->size(), 0u);

  fill(root / "revoked", "nonsense\n");
  EXPECT_THAT(load_revocations(root / "revoked").error().detail, HasSubstr("revoked: line 1"));
}

TEST_F(revocation_test, never_has_the_certificate_of_its_own_directory) {
  const auto cluster = make_cluster("lab");

  EXPECT_EQ(revoke_certificate(cluster, "head", now).error().code, ec::refused);
  EXPECT_EQ(revoke_certificate(cluster, (cluster / "node.pem").string(), now).error().code,
            ec::refused);
}

TEST_F(revocation_test, names_a_file_that_is_no_certificate_once) {
  const auto cluster = make_cluster("lab");
  fill(root / "text", "nonsense\n");

  const auto missing = revoke_certificate(cluster, "no/file", now).error();
  EXPECT_EQ(missing.code, ec::unreadable);
  EXPECT_EQ(missing.detail, "no/file: there is no such file");
  const auto text = (root / "text").string();
  const auto wrong = revoke_certificate(cluster, text, now).error();
  EXPECT_EQ(wrong.code, ec::unreadable);
  EXPECT_EQ(wrong.detail, text + ": holds no certificate in PEM form");
  EXPECT_EQ(revoke_certificate(cluster, "no name", now).error().code, ec::bad_option);
}

TEST_F(revocation_test, a_rotated_certificate_keeps_its_names_and_has_another_key) {
  const auto cluster = make_cluster("lab");
  auto first = order("w");
  first.whom.hosts = {"w.lab", "10.0.0.7"};
  ASSERT_TRUE(issue_certificates(cluster, root / "w", first));
  const auto former = facts_in(root / "w");
  const auto key = content(root / "w" / "node.key");

  ASSERT_TRUE(rotate_certificates(cluster, root / "w", days{30}, now));

  EXPECT_EQ(facts_in(root / "w").name, former.name);
  EXPECT_EQ(facts_in(root / "w").hosts, former.hosts);
  EXPECT_NE(facts_in(root / "w").fingerprint, former.fingerprint);
  EXPECT_NE(content(root / "w" / "node.key"), key);
  EXPECT_EQ(facts_in(root / "w").valid.until, now + days{30});
}

TEST_F(revocation_test, certificates_are_warned_of_in_their_last_thirty_days) {
  const auto cluster = make_cluster("lab");
  const auto w = make_node(cluster, "w", {now - days{1}, now + days{40}});
  const auto mine = load_own_certificate(w, now);
  ASSERT_TRUE(mine);

  EXPECT_EQ(expiry_warning(*mine, now), "");
  EXPECT_EQ(expiry_warning(*mine, now + days{10} - seconds{1}), "");
  EXPECT_THAT(expiry_warning(*mine, now + days{10}), HasSubstr("expires in 30 days"));
  EXPECT_THAT(expiry_warning(*mine, now + days{41}), HasSubstr("expired on"));
}

TEST_F(revocation_test, a_request_is_signed_for_its_key_and_no_other_kind_of_key) {
  const auto cluster = make_cluster("lab");
  const auto mine = make_certificate_request("anybody");
  ASSERT_TRUE(mine);

  const auto made = sign_request(cluster, mine->request, order("w"));

  ASSERT_TRUE(made) << to_text(made.error());
  EXPECT_TRUE(key_fits(made->certificate, mine->key));
  EXPECT_TRUE(is_signed_by(made->certificate, made->authority));
  EXPECT_EQ(read_certificate(made->certificate)->name, "w");
  auto forged = mine->request;
  forged[forged.size() / 2] = forged[forged.size() / 2] == 'A' ? 'B' : 'A';
  for (const auto& x : {std::string{}, std::string{"nonsense"}, made->certificate, forged})
    EXPECT_FALSE(sign_request(cluster, x, order("w")));
}

} // namespace
} // namespace tune
