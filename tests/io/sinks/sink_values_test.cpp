// The values behind the sinks: names, rows, records.
// SPDX-License-Identifier: BSD-3-Clause
#include "exports/optuna/distribution.hpp"
#include "sinks/csv_rows.hpp"
#include "sinks/http/http_client.hpp"
#include "sinks/mlflow/mlflow_names.hpp"
#include "sinks/tensorboard/event_file.hpp"
#include "sinks/tensorboard/hparams.hpp"
#include "tune/io/json.hpp"
#include "tune/io/sinks/builtin.hpp"
#include "tune/io/spec/sink_wishes.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(event_file, has_the_checksums_of_castagnoli_masked) {
  // The check value of CRC-32C is e3069283.
  const std::uint32_t crc = 0xe3069283U;
  EXPECT_EQ(event_file::masked_crc("123456789"), ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U);
}

TEST(event_file, frames_each_event_by_length_and_checksums) {
  const auto record = event_file::version_record(1.0);

  // Wall time: key and 8 bytes; version: key, length, 13 bytes.
  const std::size_t length = 9 + 2 + 13;
  EXPECT_EQ(record.size(), 8 + 4 + length + 4);
  EXPECT_EQ(static_cast<std::size_t>(record[0]), length);
  EXPECT_THAT(record, HasSubstr("brain.Event:2"));
}

experiment_facts facts_with(std::vector<std::pair<std::string, std::string>> space) {
  experiment_facts result;
  result.name = "x";
  result.identity = "1-2";
  result.objectives = {{"loss", false}};
  result.space = std::move(space);
  return result;
}

TEST(hparam_columns, make_texts_of_lists_and_of_choices_of_several_kinds) {
  const hparam_columns uut{facts_with({{"mixed", "choice(1, \"a\")"},
                                       {"order", "permutation(1, 2)"},
                                       {"n", "randint(1, {m} + 1)"}})};

  const auto bytes
      = uut.start({0}, object{{"mixed", 1}, {"order", value::list{2, 1}}, {"n", 2}}, 1.0).bytes();

  EXPECT_THAT(bytes, HasSubstr("[2,1]"));
  EXPECT_THAT(bytes, HasSubstr("\x1a\x01"
                               "1"));
}

TEST(csv_rows, defuse_formulas_and_control_characters) {
  const csv_rows uut{facts_with({{"lr", "uniform(0, 1)"}}), {"loss", "text"}};
  report what;
  what.metrics = std::make_shared<const object>(
      object{{"loss", -1.5}, {"text", "=cmd|'x'"}, {"more", "\x1b[31m"}});

  const auto row = uut.row({}, what);

  EXPECT_THAT(row, HasSubstr(",-1.5,'=cmd|'x',"));
  EXPECT_THAT(row, HasSubstr("more"));
  EXPECT_THAT(row, Not(HasSubstr("\x1b")));
}

TEST(csv_rows, tell_metrics_from_columns_of_the_same_name) {
  const csv_rows uut{facts_with({{"lr", "uniform(0, 1)"}}), {"done", "config.lr", "loss"}};

  EXPECT_THAT(uut.title(), testing::EndsWith(",done,config.lr,metric.done,metric.config.lr,loss,"
                                             "other_metrics\r\n"));
}

TEST(csv_rows, have_a_column_for_each_objective_and_each_metric_of_the_first_report) {
  EXPECT_THAT(csv_rows::metrics_of(facts_with({}), object{{"b", 1}, {"n", object{{"c", 2}}}}),
              ElementsAre("loss", "b", "n/c"));
}

TEST(mlflow_names, keep_what_is_taken_and_tell_apart_what_is_not) {
  EXPECT_EQ(mlflow::key_of("val/acc 1.5:x-y_z"), "val/acc 1.5:x-y_z");
  EXPECT_THAT(mlflow::key_of("a(b"), testing::MatchesRegex("a_b_[0-9a-f]{8}"));
  EXPECT_NE(mlflow::key_of("a(b"), mlflow::key_of("a)b"));
  EXPECT_THAT(mlflow::key_of("../x"), Not(HasSubstr("/")));
  EXPECT_THAT(mlflow::key_of("a//b"), Not(HasSubstr("/")));
  EXPECT_LE(mlflow::key_of(std::string(1000, 'a')).size(), 250u);
  EXPECT_NE(mlflow::key_of(std::string(1000, 'a')), mlflow::key_of(std::string(999, 'a')));
}

TEST(mlflow_names, write_numbers_that_json_lacks_as_texts) {
  EXPECT_EQ(mlflow::json_of(std::nan("")), value{"NaN"});
  EXPECT_EQ(mlflow::json_of(-HUGE_VAL), value{"-Infinity"});
  EXPECT_EQ(mlflow::json_of(0.5), value{0.5});
  EXPECT_EQ(mlflow::tag_text(std::string(4999, 'a') + "\xc3\xbc"), std::string(4999, 'a'));
}

TEST(http_client, takes_addresses_without_secrets_only) {
  EXPECT_EQ(why_no_url("http://127.0.0.1:5000"), "");
  EXPECT_EQ(why_no_url("https://host/path"), "");
  EXPECT_THAT(why_no_url("file:///etc/passwd"), HasSubstr("must be an address"));
  EXPECT_THAT(why_no_url("http://"), HasSubstr("must be an address"));
  EXPECT_THAT(why_no_url("http://a b"), HasSubstr("must be an address"));
  EXPECT_THAT(why_no_url("http://me:pw@host"), HasSubstr("must not have a user"));
  EXPECT_THAT(why_no_url("http://host?x"), HasSubstr("no query"));
  EXPECT_EQ(url_escaped("a b/ü"), "a%20b%2F%C3%BC");
}

search_space space_of(std::vector<parameter_text> lines) {
  auto made = search_space::parse(lines);
  EXPECT_TRUE(made) << made.error().detail;
  return std::move(*made);
}

TEST(optuna_space, translates_each_kind_of_domain) {
  const auto space = space_of({{"lr", "loguniform(0.001, 1)"},
                               {"q", "quniform(0.1, 1, 0.1)"},
                               {"n", "randint(1, 5)"},
                               {"e", "qrandint(4, 20, 2)"},
                               {"c", "choice(1, 2.5, \"a\", true)"},
                               {"o", "permutation(\"a\", \"b\")"},
                               {"s", "subset(\"a\", \"b\")"},
                               {"z", "randn(0, 1)"},
                               {"d", "uniform(0, {n})"}});
  optuna_space uut{space};
  const object config{{"lr", 0.1},
                      {"q", 0.1},
                      {"n", 4},
                      {"e", 4},
                      {"c", true},
                      {"o", value::list{"b", "a"}},
                      {"s", value::list{"b"}},
                      {"z", 0.5},
                      {"d", 3.5}};
  uut.see(config);
  std::vector<std::string> left_out;

  std::map<std::string, optuna_parameter> found;
  for (auto& x : uut.parameters(config, left_out))
    found[x.name] = x;

  EXPECT_TRUE(left_out.empty());
  EXPECT_THAT(found["lr"].distribution, HasSubstr(R"("log": true)"));
  EXPECT_THAT(found["q"].distribution, HasSubstr(R"("step": 0.1, "low": 0.1, "high": 1.0)"));
  EXPECT_THAT(found["n"].distribution, HasSubstr(R"("low": 1, "high": 4)"));
  EXPECT_THAT(found["e"].distribution, HasSubstr(R"("step": 2, "low": 4, "high": 20)"));
  EXPECT_EQ(found["c"].value, 3);
  EXPECT_THAT(found["c"].distribution, HasSubstr(R"("choices": [1, 2.5, "a", true])"));
  EXPECT_EQ(found["o[b]"].value, 1);
  EXPECT_EQ(found["o[a]"].value, 2);
  EXPECT_EQ(found["s[a]"].value, 0);
  EXPECT_EQ(found["s[b]"].value, 1);
  EXPECT_THAT(found["z"].distribution, HasSubstr(R"("low": 0.5, "high": 0.5)"));
  EXPECT_THAT(found["d"].distribution, HasSubstr(R"("high": 4.0)"));
}

TEST(optuna_space, says_what_has_no_distribution) {
  const auto space = space_of({{"c", "choice(1, 2)"}});
  const optuna_space uut{space};
  std::vector<std::string> left_out;

  EXPECT_TRUE(uut.parameters(object{{"c", 7}}, left_out).empty());

  EXPECT_THAT(left_out, ElementsAre("c"));
}

TEST(sink_wishes, sort_lines_by_sink_and_take_a_value_for_the_first_option) {
  const auto found = sink_wishes({{"csv", "all.csv"},
                                  {"mlflow", "off"},
                                  {"mlflow.experiment", "e"},
                                  {"jsonl", "on"},
                                  {"otlp.url", "u"}},
                                 builtin_sinks());

  ASSERT_EQ(found.size(), 4u);
  EXPECT_TRUE(found[0].is_on);
  EXPECT_EQ(found[0].written.at("file"), "all.csv");
  EXPECT_FALSE(found[1].is_on);
  EXPECT_EQ(found[1].written.at("experiment"), "e");
  EXPECT_TRUE(found[2].is_on);
  EXPECT_TRUE(found[2].written.empty());
  EXPECT_FALSE(found[3].is_said);
}

TEST(builtin_sinks, have_an_option_first_and_a_text_for_each) {
  const auto all = builtin_sinks();
  for (const auto& entry : all.entries()) {
    ASSERT_FALSE(entry.known.empty()) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
    for (const auto& option : entry.known)
      EXPECT_FALSE(option.meaning.empty()) << entry.name << "." << option.name;
  }
}

} // namespace
} // namespace tune
