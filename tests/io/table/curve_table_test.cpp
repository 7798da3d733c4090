// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/table/curve_table.hpp"

#include "../scratch_directory.hpp"

namespace tune {
namespace {

search_space space() {
  return *search_space::parse({{"lr", "loguniform(0.001, 1)"}, {"opt", "choice(adam, sgd)"}});
}

curve_table table(const std::string& text) {
  auto result = curve_table::parse(text, "t.csv");
  EXPECT_TRUE(result) << to_text(result.error());
  return result ? *result : curve_table{};
}

std::string fault(const std::string& text) {
  auto result = curve_table::parse(text, "t.csv");
  return result ? "" : to_text(result.error());
}

constexpr auto two_curves = "config.lr,config.opt,training_iteration,loss\n"
                            "0.1,adam,2,0.4\n"
                            "0.1,adam,1,0.5\n"
                            "0.001,sgd,1,0.9\n";

TEST(curve_table, gives_the_reports_of_a_configuration_in_order) {
  auto uut = table(two_curves);

  auto curve = uut.curve_of({{"lr", 0.1}, {"opt", "adam"}}, space());

  EXPECT_EQ(uut.size(), 2u);
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0], (object{{"training_iteration", 1}, {"loss", 0.5}}));
  EXPECT_EQ(curve[1], (object{{"training_iteration", 2}, {"loss", 0.4}}));
}

using table_file = tune::samples::scratch_directory;

TEST_F(table_file, is_read_from_regular_files_of_a_bounded_size_only) {
  auto large = root / "large.csv";
  fill(large, {});
  // The file is sparse and takes no room.
  std::filesystem::resize_file(large, most_table_bytes + 1);

  EXPECT_EQ(why_no_table("/dev/zero"), "is no regular file");
  EXPECT_EQ(why_no_table("/tmp"), "is a directory, not a table");
  EXPECT_EQ(why_no_table(root / "gone.csv"), "does not exist");
  EXPECT_EQ(why_no_table(large), "is larger than 1 GiB, the most a table may have");
  EXPECT_FALSE(curve_table::load("/dev/zero"));
  EXPECT_FALSE(curve_table::load(large));
  std::filesystem::resize_file(large, 10);
  EXPECT_EQ(why_no_table(large), std::nullopt);
}

TEST(curve_table, takes_equal_numbers_of_either_kind_for_equal) {
  auto uut = table("config.x,training_iteration,loss\n1,1,0.5\n");

  EXPECT_FALSE(uut.curve_of({{"x", 1.0}}, {})[0].contains("table_config"));
  EXPECT_FALSE(uut.curve_of({{"x", 1}}, {})[0].contains("table_config"));
}

TEST(curve_table, looks_for_the_nearest_on_the_scale_of_the_parameter) {
  // 0.01 is far nearer to 0.001 than to 1 on a logarithmic scale.
  auto uut = table("config.lr,training_iteration,loss\n0.001,1,0.1\n1,1,0.2\n");

  auto curve = uut.curve_of({{"lr", 0.01}}, space());

  EXPECT_EQ(*curve[0].find("loss"), value{0.1});
  EXPECT_EQ(*uut.curve_of({{"lr", 0.5}}, space())[0].find("loss"), value{0.2});
  // 0.04 is nearer to 0.001 than to 1 by distance, but nearer to 1 by its logarithm: above 0.0316.
  EXPECT_EQ(*uut.curve_of({{"lr", 0.04}}, space())[0].find("loss"), value{0.2});
}

TEST(curve_table, says_which_configuration_stands_in) {
  auto uut = table(two_curves);

  auto curve = uut.curve_of({{"lr", 0.2}, {"opt", "adam"}}, space());

  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(*curve[1].find("table_config"), value{R"({"lr":0.1,"opt":"adam"})"});
}

TEST(curve_table, keeps_the_first_of_two_that_are_equally_near) {
  auto uut = table("config.opt,training_iteration,loss\nadam,1,0.1\nsgd,1,0.2\n");

  auto curve = uut.curve_of({{"opt", "other"}}, space());

  EXPECT_EQ(*curve[0].find("loss"), value{0.1});
}

TEST(curve_table, takes_an_empty_cell_for_what_is_not_there) {
  auto uut = table("config.lr,config.opt,training_iteration,loss,note\n"
                   "0.1,,1,0.5,\n"
                   "0.1,adam,1,,x\n");

  EXPECT_EQ(uut.curve_of({{"lr", 0.1}}, space()),
            (std::vector<object>{{{"training_iteration", 1}, {"loss", 0.5}}}));
  EXPECT_EQ(uut.curve_of({{"lr", 0.1}, {"opt", "adam"}}, space()),
            (std::vector<object>{{{"training_iteration", 1}, {"note", "x"}}}));
}

TEST(curve_table, finds_nested_parameters_by_their_dotted_name) {
  auto uut = table("config.optimizer.lr,training_iteration,loss\n0.1,1,0.5\n");

  auto curve = uut.curve_of({{"optimizer", object{{"lr", 0.1}}}}, {});

  EXPECT_FALSE(curve[0].contains("table_config"));
}

TEST(curve_table, finds_lists_and_objects_by_their_json) {
  auto space = *search_space::parse(
      {{"model", R"(choice({"kind": "a", "depth": 3}, [1, 2], "[1, 2]", none))"}});
  auto uut = table("config.model,training_iteration,loss\n"
                   "\"{\"\"kind\"\":\"\"a\"\",\"\"depth\"\":3}\",1,0.5\n"
                   "\"[1,2]\",1,0.25\n"
                   "none,1,0.75\n");
  auto loss_of = [&](value model) {
    auto curve = uut.curve_of({{"model", std::move(model)}}, space);
    EXPECT_FALSE(curve[0].contains("table_config"));
    return *curve[0].find("loss");
  };

  EXPECT_EQ(loss_of(object{{"kind", "a"}, {"depth", 3}}), value{0.5});
  EXPECT_EQ(loss_of(value::list{1, 2}), value{0.25});
  EXPECT_EQ(loss_of("[1, 2]"), value{0.25});
  EXPECT_EQ(loss_of("none"), value{0.75});
}

TEST(curve_table, finds_objects_by_columns_of_their_members) {
  auto space = *search_space::parse({{"model", R"(choice({"depth": 3}, {"depth": 4}))"}});
  auto uut = table("config.model.depth,training_iteration,loss\n3,1,0.5\n4,1,0.25\n");

  auto curve = uut.curve_of({{"model", object{{"depth", 4}}}}, space);

  EXPECT_EQ(*curve[0].find("loss"), value{0.25});
  EXPECT_FALSE(curve[0].contains("table_config"));
}

TEST(curve_table, reads_quotes_and_both_line_ends) {
  auto uut = table("config.opt,training_iteration,note\r\n"
                   "\"a,\"\"b\"\"\nc\",1,\"two\nlines\"\r\n"
                   "\r\n"
                   "plain,1,last");

  auto curve = uut.curve_of({{"opt", "a,\"b\"\nc"}}, space());

  EXPECT_EQ(uut.size(), 2u);
  EXPECT_EQ(*curve[0].find("note"), value{"two\nlines"});
}

TEST(curve_table, reads_numbers_that_are_none) {
  auto uut = table("training_iteration,loss,acc\n1,nan,-inf\n");

  auto curve = uut.curve_of({}, {});

  EXPECT_EQ(*curve[0].find("loss"), value{std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(*curve[0].find("acc"), value{-std::numeric_limits<double>::infinity()});
}

TEST(curve_table, names_a_parameter_without_a_column_where_rows_seem_to_be_alike) {
  const auto* text = "x,training_iteration,acc\n1,1,0.5\n2,1,0.6\n";
  const auto known = curve_table::parse(text, "t.csv", {"x", "net.lr"});

  ASSERT_FALSE(known);
  EXPECT_EQ(known.error().detail,
            "t.csv:3: iteration 1 of this configuration is there already; there is no column "
            "config.x: the column x is taken as a metric; there is no column config.net.lr");
  EXPECT_TRUE(curve_table::parse("config.x,training_iteration,acc\n1,1,0.5\n", "t.csv", {"y"}));
}

TEST(curve_table, names_the_line_of_what_is_wrong) {
  EXPECT_EQ(fault("config.lr,loss\n1,2\n"), "t.csv:1: there is no column training_iteration");
  EXPECT_EQ(fault("training_iteration,loss\n1,2\n2,3,4\n"),
            "t.csv:3: 3 cells, but the header has 2");
  EXPECT_EQ(fault("training_iteration,loss\n0,2\n"),
            "t.csv:2: training_iteration is '0', not a whole number from 1 to 2^53");
  EXPECT_EQ(fault("training_iteration,loss\n1.5,2\n"),
            "t.csv:2: training_iteration is '1.5', not a whole number from 1 to 2^53");
  EXPECT_EQ(fault("training_iteration,loss\n9007199254740993,2\n"),
            "t.csv:2: training_iteration is '9007199254740993', not a whole number from 1 to 2^53");
  EXPECT_EQ(fault("training_iteration,loss\n\n1,2\n1,3\n"),
            "t.csv:4: iteration 1 of this configuration is there already");
  EXPECT_EQ(fault("training_iteration,loss\n1,\"2\n"), "t.csv:2: a quote is never closed");
  EXPECT_EQ(fault("training_iteration,loss\n"), "t.csv:1: the table has no rows");
  EXPECT_EQ(fault("training_iteration,loss,loss\n1,2,3\n"),
            "t.csv:1: there are two columns named loss");
  EXPECT_NE(fault(""), "");
}

struct curve_table_file : samples::scratch_directory {};

TEST_F(curve_table_file, is_named_in_errors) {
  fill(root / "bad.csv", "training_iteration,loss\nx,2\n");

  auto bad = curve_table::load(root / "bad.csv");
  auto missing = curve_table::load(root / "missing.csv");
  auto directory = curve_table::load(root);

  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ec::bad_syntax);
  EXPECT_NE(bad.error().detail.find("bad.csv:2: "), std::string::npos);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ec::unreadable);
  EXPECT_NE(missing.error().detail.find("missing.csv"), std::string::npos);
  EXPECT_FALSE(directory);
}

TEST_F(curve_table_file, holds_its_curves) {
  fill(root / "good.csv", two_curves);

  auto uut = curve_table::load(root / "good.csv");

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->size(), 2u);
}

} // namespace
} // namespace tune
