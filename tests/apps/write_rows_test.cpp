// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_rows.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tune::cli {
namespace {

const std::vector<object> two{{{"name", "a,b"}, {"trial", value{}}}, {{"name", "c"}, {"trial", 7}}};

std::string written(const std::vector<object>& rows, output_format format,
                    json_layout layout = json_layout::one_line) {
  std::ostringstream out;
  write_rows(rows, format, layout, out);
  return std::move(out).str();
}

TEST(write_rows, breaks_an_array_into_lines_where_that_is_asked_for) {
  using enum json_layout;

  EXPECT_EQ(written(two, output_format::json, one_line),
            "[{\"name\":\"a,b\",\"trial\":null},{\"name\":\"c\",\"trial\":7}]\n");
  EXPECT_EQ(written(two, output_format::json, row_per_line),
            "[\n  {\"name\":\"a,b\",\"trial\":null},\n  {\"name\":\"c\",\"trial\":7}\n]\n");
  EXPECT_EQ(written({}, output_format::json, one_line), "[]\n");
  EXPECT_EQ(written({}, output_format::json, row_per_line), "[]\n");
}

TEST(write_rows, writes_a_line_for_each_row_in_json_lines) {
  EXPECT_EQ(written(two, output_format::jsonl),
            "{\"name\":\"a,b\",\"trial\":null}\n{\"name\":\"c\",\"trial\":7}\n");
  EXPECT_EQ(written({}, output_format::jsonl), "");
}

TEST(write_rows, quotes_fields_of_csv_and_leaves_a_null_empty) {
  EXPECT_EQ(written(two, output_format::csv), "name,trial\n\"a,b\",\nc,7\n");
  EXPECT_EQ(written({}, output_format::csv), "");
}

TEST(write_csv, has_its_titles_also_where_there_is_no_row) {
  std::ostringstream out;

  write_csv({"name", "trial"}, {}, out);

  EXPECT_EQ(std::move(out).str(), "name,trial\n");
}

TEST(write_row, is_an_object_or_two_lines_of_csv) {
  const object row{{"file", "x.ini"}, {"fine", true}};
  std::ostringstream json;
  std::ostringstream csv;

  write_row(row, output_format::json, json);
  write_row(row, output_format::csv, csv);

  EXPECT_EQ(std::move(json).str(), "{\"file\":\"x.ini\",\"fine\":true}\n");
  EXPECT_EQ(std::move(csv).str(), "file,fine\nx.ini,true\n");
}

} // namespace
} // namespace tune::cli
