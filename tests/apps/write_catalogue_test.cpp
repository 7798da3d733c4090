// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_catalogue.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tune::cli {
namespace {

struct part {};
struct context {};

/// Two entries: one with an option of each sort, one without.
std::vector<listed_entry> two() {
  catalogue<part, context> from;
  from.add({"asha",
            "Stops the worst at each rung.",
            "Li et al. 2020",
            {{"eta", option_kind::number, "4", 1, 100, true, {}, "One trial in eta climbs."},
             {"mode", option_kind::text, "", 0, 0, false, {"a", "b"}, "Which, \"exactly\"."}},
            nullptr});
  from.add({"fifo", "First in, first out.", "", {}, nullptr});
  return listed(from);
}

std::string written(output_format format, std::size_t width = 0) {
  std::ostringstream out;
  write_catalogue(two(), format, {width, style{}}, out);
  return out.str();
}

TEST(write_catalogue, gives_people_entries_with_their_options) {
  EXPECT_EQ(written(output_format::table), R"(asha
  Stops the worst at each rung.
  Source: Li et al. 2020
  eta  number, > 1 and <= 100, default 4
      One trial in eta climbs.
  mode  text, one of: a, b, no default
      Which, "exactly".
fifo
  First in, first out.
)");
}

TEST(write_catalogue, wraps_to_the_width) {
  EXPECT_EQ(written(output_format::table, 30), R"(asha
  Stops the worst at each
  rung.
  Source: Li et al. 2020
  eta  number, > 1 and <= 100, default 4
      One trial in eta climbs.
  mode  text, one of: a, b, no default
      Which, "exactly".
fifo
  First in, first out.
)");
}

TEST(write_catalogue, gives_programs_json) {
  EXPECT_EQ(
      written(output_format::jsonl),
      R"({"name":"asha","summary":"Stops the worst at each rung.","source":"Li et al. 2020","options":[{"name":"eta","kind":"number","default":"4","range":"> 1 and <= 100","meaning":"One trial in eta climbs."},{"name":"mode","kind":"text","default":null,"range":"one of: a, b","meaning":"Which, \"exactly\"."}]})"
      "\n"
      R"({"name":"fifo","summary":"First in, first out.","source":"","options":[]})"
      "\n");
}

TEST(write_catalogue, gives_spreadsheets_a_line_per_option) {
  EXPECT_EQ(written(output_format::csv),
            "name,summary,source,option,kind,default,range,meaning\n"
            "asha,Stops the worst at each rung.,Li et al. 2020,eta,number,4,> 1 and <= 100,One "
            "trial in eta climbs.\n"
            "asha,Stops the worst at each rung.,Li et al. 2020,mode,text,,\"one of: a, b\","
            "\"Which, \"\"exactly\"\".\"\n"
            "fifo,\"First in, first out.\",,,,,,\n");
}

} // namespace
} // namespace tune::cli
