// SPDX-License-Identifier: BSD-3-Clause
#include "object_store/aws_credentials.hpp"
#include "object_store/s3_connection.hpp"
#include "object_store/s3_replies.hpp"

#include "tune/io/object_store/object_store.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

using namespace tune;

namespace {

std::function<std::string(const char*)> variables(std::map<std::string, std::string> all) {
  return [all = std::move(all)](const char* name) {
    const auto found = all.find(name);
    return found == all.end() ? std::string{} : found->second;
  };
}

TEST(bucket_place, has_a_bucket_and_a_prefix) {
  for (const auto* text : {"s3://runs", "s3://runs/"}) {
    auto x = bucket_place_from(text);
    ASSERT_TRUE(x) << text;
    EXPECT_EQ(*x, (bucket_place{"runs", ""}));
    EXPECT_EQ(to_text(*x), "s3://runs");
  }
  auto x = bucket_place_from("s3://a.b-c/one/two words/");
  ASSERT_TRUE(x);
  EXPECT_EQ(*x, (bucket_place{"a.b-c", "one/two words"}));
  EXPECT_EQ(to_text(x->below("mine")), "s3://a.b-c/one/two words/mine");
  EXPECT_EQ(to_text(bucket_place{"abc", ""}.below("mine")), "s3://abc/mine");
}

TEST(bucket_place, is_nothing_else) {
  for (const auto* text :
       {"", "on", "runs", "http://runs", "s3:/runs", "s3://", "s3://ab", "s3://Runs", "s3://-runs",
        "s3://runs?x", "s3://user@runs/a", "s3://runs//a", "s3://runs/a//b", "s3://runs/../b",
        "s3://runs/./b", "s3://runs/a?b", "s3://runs/a\nb"}) {
    auto x = bucket_place_from(text);
    ASSERT_FALSE(x) << text;
    EXPECT_EQ(x.error().code, ec::bad_option);
  }
  EXPECT_FALSE(bucket_place_from("s3://runs/" + std::string(513, 'a')));
}

TEST(aws_credentials, are_those_of_a_profile) {
  constexpr auto text = "# comment\r\n[default]\r\naws_access_key_id = AK1\r\n"
                        "aws_secret_access_key=se/c=ret\r\n\r\n[ other ]\naws_access_key_id=AK2\n"
                        "aws_secret_access_key = two\naws_session_token = tok\n[half]\n"
                        "aws_access_key_id = AK3";
  auto usual = credentials_in(text, "default");
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->id, "AK1");
  EXPECT_EQ(usual->secret, "se/c=ret");
  EXPECT_EQ(usual->token, "");
  auto other = credentials_in(text, "other");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->id, "AK2");
  EXPECT_EQ(other->token, "tok");
  EXPECT_FALSE(credentials_in(text, "half"));
  EXPECT_FALSE(credentials_in(text, "none"));
  EXPECT_FALSE(credentials_in("[a]\naws_access_key_id=x\naws_secret_access_key=y z\n", "a"));
}

TEST(aws_credentials, of_the_environment_go_first) {
  auto found = find_credentials(variables({{"AWS_ACCESS_KEY_ID", "AK"},
                                           {"AWS_SECRET_ACCESS_KEY", "secret"},
                                           {"AWS_SESSION_TOKEN", "token"},
                                           {"AWS_PROFILE", "other"}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, "AK");
  EXPECT_EQ(found->token, "token");
}

TEST(aws_credentials, that_are_missing_are_an_error_without_a_secret) {
  auto none = find_credentials(variables({{"HOME", "/nowhere"}, {"AWS_PROFILE", "mine"}}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ec::refused);
  EXPECT_NE(none.error().detail.find("/nowhere/.aws/credentials has no keys of [mine]"),
            std::string::npos);
  for (const auto* bad : {"", "two\nlines", "a blank"}) {
    auto half = find_credentials(
        variables({{"AWS_SECRET_ACCESS_KEY", "hush"}, {"AWS_ACCESS_KEY_ID", bad}}));
    ASSERT_FALSE(half);
    EXPECT_EQ(half.error().detail.find("hush"), std::string::npos);
  }
}

TEST(s3_address, is_amazons_or_the_one_that_is_given) {
  EXPECT_EQ(address_of("runs", {}, variables({})).base, "https://runs.s3.us-east-1.amazonaws.com");
  auto far = address_of("my.runs", {}, variables({{"AWS_DEFAULT_REGION", "eu-west-1"}}));
  EXPECT_EQ(far.base, "https://s3.eu-west-1.amazonaws.com/my.runs");
  EXPECT_EQ(far.region, "eu-west-1");
  const auto both = variables({{"AWS_ENDPOINT_URL", "http://b"},
                               {"AWS_ENDPOINT_URL_S3", "http://a:1/"},
                               {"AWS_REGION", "r1"}});
  EXPECT_EQ(address_of("runs", {}, both).base, "http://a:1/runs");
  auto chosen = address_of("runs", {"http://c/", "r2"}, both);
  EXPECT_EQ(chosen.base, "http://c/runs");
  EXPECT_EQ(chosen.region, "r2");
}

TEST(s3_request, has_a_target_that_is_signed_as_it_stands) {
  EXPECT_EQ(target_of({"GET", "a b/ö+=&(~.txt", {}}), "/a%20b/%C3%B6%2B%3D%26%28~.txt");
  EXPECT_EQ(target_of({"POST", "a", {{"uploads", ""}}}), "/a?uploads=");
  EXPECT_EQ(target_of({"GET", "", {{"list-type", "2"}, {"prefix", "a b/"}}}),
            "/?list-type=2&prefix=a%20b%2F");
}

TEST(listing_page, has_keys_sizes_and_times) {
  constexpr auto text
      = R"(<?xml version="1.0"?><ListBucketResult xmlns="x"><IsTruncated>true</IsTruncated>
<Contents><Key>runs/a%20b/%C3%B6%2B</Key><LastModified>2026-11-27T15:00:33.000Z</LastModified>
<ETag>&quot;e&quot;</ETag><Size>12</Size></Contents><Contents><Key>c&amp;d+e</Key>
<LastModified>never</LastModified><Size>0</Size></Contents>
<NextContinuationToken>t/1=</NextContinuationToken></ListBucketResult>)";
  auto page = listing_page_from(text);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].key, "runs/a b/ö+");
  EXPECT_EQ(page->objects[0].size, 12U);
  EXPECT_EQ(page->objects[0].changed_s, 1'795'791'633);
  EXPECT_EQ(page->objects[1].key, "c&d e");
  EXPECT_EQ(page->objects[1].changed_s, 0);
  EXPECT_EQ(page->next, "t/1=");
  auto last
      = listing_page_from("<ListBucketResult><IsTruncated>false</IsTruncated>"
                          "<NextContinuationToken>x</NextContinuationToken></ListBucketResult>");
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->next.empty());
}

TEST(listing_page, is_nothing_else) {
  for (const auto* text :
       {"", "<html></html>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>"})
    EXPECT_FALSE(listing_page_from(text)) << text;
}

TEST(s3_refusal, names_the_key_and_what_was_asked_for) {
  const std::string body = "<Error><Code>AccessDenied</Code><Message>No &lt;way&gt;\n</Message>"
                           "</Error>";
  auto denied = error_of({403, body, "s3://runs/a/b", "AK1", ""});
  EXPECT_EQ(denied.code, ec::refused);
  EXPECT_EQ(denied.detail, "s3://runs/a/b: the store denies this to the access key AK1 (status 403,"
                           " AccessDenied: No <way>\\n)");
  auto moved = error_of({301, "", "s3://runs", "AK1", "eu-west-1"});
  EXPECT_EQ(moved.code, ec::refused);
  EXPECT_NE(moved.detail.find("region eu-west-1"), std::string::npos);
}

TEST(s3_refusal, may_pass) {
  const auto code_of = [](long status, const std::string& code) {
    return error_of({status, "<Error><Code>" + code + "</Code></Error>", "s3://runs", "AK", ""})
        .code;
  };
  EXPECT_EQ(code_of(503, "SlowDown"), ec::unreachable);
  EXPECT_EQ(code_of(500, "InternalError"), ec::unreachable);
  EXPECT_EQ(code_of(429, ""), ec::unreachable);
  EXPECT_EQ(code_of(400, "RequestTimeout"), ec::unreachable);
  EXPECT_EQ(code_of(400, "ExpiredToken"), ec::unreachable);
  EXPECT_EQ(code_of(403, "RequestTimeTooSkewed"), ec::unreachable);
  EXPECT_EQ(code_of(404, "NoSuchBucket"), ec::refused);
  EXPECT_EQ(code_of(403, "SignatureDoesNotMatch"), ec::refused);
  EXPECT_EQ(code_of(400, "InvalidRequest"), ec::refused);
}

} // namespace
