// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/certificate_directory.hpp"

#include "certificate_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sys/stat.h>

namespace tune {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// Sets or removes an environment variable until the end of its life.
class with_variable {
public:
  with_variable(const char* name, const char* text) : name_{name} {
    if (const auto* old = std::getenv(name))
      old_ = old;
    set(text);
  }
  ~with_variable() { set(old_ ? old_->c_str() : nullptr); }
  with_variable(const with_variable&) = delete;
  with_variable& operator=(const with_variable&) = delete;

private:
  const char* name_;
  std::optional<std::string> old_;

  void set(const char* text) { text == nullptr ? ::unsetenv(name_) : ::setenv(name_, text, 1); }
};

class certificate_directory : public samples::certificate_test {
protected:
  /// Contents of all files below `where`, hidden ones included.
  static std::map<std::string, std::string> all_of(const fs::path& where) {
    std::map<std::string, std::string> result;
    for (const auto& x : fs::recursive_directory_iterator{where})
      if (x.is_regular_file())
        result[fs::relative(x.path(), where).string()] = content(x.path());
    return result;
  }

  void expect_refused(const expected<void>& x, const std::string& why) {
    ASSERT_FALSE(x);
    EXPECT_EQ(x.error().code, ec::refused);
    EXPECT_THAT(x.error().detail, HasSubstr(why));
  }
  void expect_refused(const expected<init_outcome>& x, const std::string& why) {
    expect_refused(x ? expected<void>{} : expected<void>{x.error()}, why);
  }
};

TEST_F(certificate_directory, begins_with_a_ca_and_a_node_that_fit) {
  const auto old = ::umask(0);
  auto made = init_certificates(root / "a/b", "lab", order("head"));
  ::umask(old);

  ASSERT_TRUE(made) << to_text(made.error());
  EXPECT_TRUE(made->made_authority);
  EXPECT_TRUE(made->made_node);
  EXPECT_EQ(all_of(root / "a/b").size(), 4u) << "nothing is left beside";
  EXPECT_EQ(mode_of(root / "a/b"), 0700u);
  EXPECT_EQ(mode_of(root / "a/b/ca.key"), 0600u);
  EXPECT_EQ(mode_of(root / "a/b/node.key"), 0600u);
  EXPECT_EQ(mode_of(root / "a/b/ca.pem"), 0644u);
  EXPECT_EQ(mode_of(root / "a/b/node.pem"), 0644u);
  auto identity = load_own_certificate(root / "a/b", now);
  ASSERT_TRUE(identity) << to_text(identity.error());
  EXPECT_EQ(identity->certificate.name, "head");
  EXPECT_EQ(identity->certificate.valid.until, now + node_lifetime);
  EXPECT_EQ(identity->authority.valid.until, now + authority_lifetime);
}

TEST_F(certificate_directory, is_not_changed_by_a_second_init) {
  auto directory = make_cluster("lab");
  auto before = all_of(directory);

  auto again = init_certificates(directory, "", order("other"));
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_FALSE(again->made_authority);
  EXPECT_FALSE(again->made_node);
  ASSERT_TRUE(init_certificates(directory, "lab", order("other")));
  expect_refused(init_certificates(directory, "office", order("head")), "cluster 'lab'");

  EXPECT_EQ(all_of(directory), before);
}

TEST_F(certificate_directory, is_completed_where_only_the_node_is_missing) {
  auto directory = make_cluster("lab");
  fs::remove(directory / "node.pem");
  fs::remove(directory / "node.key");

  auto again = init_certificates(directory, "", order("head"));

  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_FALSE(again->made_authority);
  EXPECT_TRUE(again->made_node);
  EXPECT_TRUE(load_own_certificate(directory, now));
}

TEST_F(certificate_directory, is_left_alone_where_init_would_have_to_overwrite) {
  for (const auto* missing : {"ca.pem", "ca.key", "node.pem", "node.key"}) {
    auto directory = make_cluster(std::string{"without-"} + missing);
    fs::remove(directory / missing);
    auto before = all_of(directory);

    expect_refused(init_certificates(directory, "", order("head")), missing);

    EXPECT_EQ(all_of(directory), before);
  }
  auto directory = make_cluster("without-ca");
  fs::remove(directory / "ca.pem");
  fs::remove(directory / "ca.key");
  expect_refused(init_certificates(directory, "", order("head")), "node.pem");
  EXPECT_EQ(all_of(directory).size(), 2u);
}

TEST_F(certificate_directory, force_renews_the_node_and_never_the_ca) {
  auto directory = make_cluster("lab");
  auto before = all_of(directory);
  auto forced = order("head");
  forced.force = true;

  ASSERT_TRUE(init_certificates(directory, "", forced));

  auto after = all_of(directory);
  EXPECT_EQ(after["ca.pem"], before["ca.pem"]);
  EXPECT_EQ(after["ca.key"], before["ca.key"]);
  EXPECT_NE(after["node.pem"], before["node.pem"]);
  EXPECT_NE(after["node.key"], before["node.key"]);
  EXPECT_EQ(after.size(), 4u);
  EXPECT_TRUE(load_own_certificate(directory, now));
  fs::remove(directory / "ca.key");
  expect_refused(init_certificates(directory, "", forced), "ca.key");
}

TEST_F(certificate_directory, issues_for_other_nodes_without_the_cas_key) {
  auto directory = make_cluster("lab");

  auto done = issue_certificates(directory, root / "w1", order("w1"));

  ASSERT_TRUE(done) << to_text(done.error());
  auto files = all_of(root / "w1");
  EXPECT_EQ(files.size(), 3u);
  EXPECT_EQ(files.count("ca.key"), 0u);
  auto identity = load_own_certificate(root / "w1", now);
  ASSERT_TRUE(identity) << to_text(identity.error());
  EXPECT_EQ(identity->certificate.name, "w1");
  EXPECT_EQ(identity->authority.fingerprint,
            load_own_certificate(directory, now)->authority.fingerprint);
}

TEST_F(certificate_directory, is_overwritten_by_force_only_and_by_its_own_ca_only) {
  auto lab = make_cluster("lab");
  auto office = make_cluster("office");
  ASSERT_TRUE(issue_certificates(lab, root / "w1", order("w1")));
  auto before = all_of(root / "w1");
  auto forced = order("w1");
  forced.force = true;

  expect_refused(issue_certificates(lab, root / "w1", order("w1")), "--force");
  expect_refused(issue_certificates(office, root / "w1", forced), "another CA");
  EXPECT_EQ(all_of(root / "w1"), before);

  ASSERT_TRUE(issue_certificates(lab, root / "w1", forced));
  EXPECT_NE(all_of(root / "w1")["node.key"], before["node.key"]);
  EXPECT_EQ(mode_of(root / "w1/node.key"), 0600u);
}

TEST_F(certificate_directory, issues_nothing_where_the_cas_key_is_not_in_order) {
  auto lab = make_cluster("lab");
  ASSERT_TRUE(issue_certificates(lab, root / "w1", order("w1")));
  expect_refused(issue_certificates(root / "w1", root / "w2", order("w2")), "ca.key");
  auto late = order("w2");
  late.now = now + authority_lifetime + std::chrono::days{1};
  expect_refused(issue_certificates(lab, root / "w2", late), "expired on");
  ::chmod((lab / "ca.key").c_str(), 0640);
  expect_refused(issue_certificates(lab, root / "w2", order("w2")), "chmod 600");
  EXPECT_FALSE(fs::exists(root / "w2"));
}

TEST_F(certificate_directory, cuts_a_certificate_to_the_life_of_its_ca) {
  auto lab = make_cluster("lab");
  auto late = order("w1");
  late.now = founded + authority_lifetime - std::chrono::days{10};

  ASSERT_TRUE(issue_certificates(lab, root / "w1", late));

  EXPECT_EQ(load_own_certificate(root / "w1", late.now)->certificate.valid.until,
            founded + authority_lifetime);
}

TEST_F(certificate_directory, that_cannot_be_written_is_told_and_left_as_it_was) {
  fill(root / "file", "x");
  auto made = init_certificates(root / "file/certs", "lab", order("head"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ec::storage);
  EXPECT_THAT(made.error().detail, HasSubstr((root / "file/certs").string()));
}

TEST_F(certificate_directory, is_shown_with_keys_and_signatures) {
  auto lab = make_cluster("lab");
  auto office = make_cluster("office");
  ::chmod((lab / "ca.key").c_str(), 0644);

  auto found = find_certificates(lab);
  ASSERT_TRUE(found) << to_text(found.error());
  ASSERT_EQ(found->size(), 2u);
  EXPECT_TRUE((*found)[0].facts.is_authority);
  EXPECT_EQ((*found)[0].key, key_state::exposed);
  EXPECT_EQ((*found)[1].facts.name, "head");
  EXPECT_EQ((*found)[1].key, key_state::fits);
  EXPECT_EQ((*found)[1].signed_by_authority, true);

  fs::copy_file(office / "node.pem", lab / "other.pem");
  fs::copy_file(office / "ca.key", lab / "other.key");
  auto other = find_certificates(lab / "other.pem");
  ASSERT_TRUE(other) << to_text(other.error());
  EXPECT_EQ((*other)[0].key, key_state::differs);
  EXPECT_EQ((*other)[0].signed_by_authority, false);

  fs::copy_file(office / "node.pem", root / "alone.pem");
  auto alone = find_certificates(root / "alone.pem");
  ASSERT_TRUE(alone) << to_text(alone.error());
  EXPECT_EQ((*alone)[0].key, key_state::missing);
  EXPECT_EQ((*alone)[0].signed_by_authority, std::nullopt);
}

TEST_F(certificate_directory, is_not_shown_where_there_is_none) {
  fill(root / "x.pem", "nonsense");
  EXPECT_EQ(find_certificates(root / "x.pem").error().code, ec::refused);
  EXPECT_EQ(find_certificates(root / "y.pem").error().code, ec::storage);
  EXPECT_EQ(find_certificates(root).error().code, ec::storage);
  ASSERT_EQ(::mkfifo((root / "z.pem").c_str(), 0600), 0);
  EXPECT_EQ(find_certificates(root / "z.pem").error().code, ec::storage) << "and does not wait";
}

TEST_F(certificate_directory, is_found_by_the_environment) {
  with_variable own{"TUNE_CERTS", "/a"};
  with_variable configuration{"XDG_CONFIG_HOME", "/b"};
  with_variable home{"HOME", "/c"};
  EXPECT_EQ(default_certificate_directory(), "/a");
  with_variable none{"TUNE_CERTS", nullptr};
  EXPECT_EQ(default_certificate_directory(), "/b/tune-node/certs");
  with_variable relative{"XDG_CONFIG_HOME", "b"};
  EXPECT_EQ(default_certificate_directory(), "/c/.config/tune-node/certs");
}

} // namespace
} // namespace tune
