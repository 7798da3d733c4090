// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/object_parameters.hpp"
#include "tune/core/space/space.hpp"

#include "tune/core/name.hpp"
#include "tune/core/rng.hpp"
#include "tune/core/space/idle_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tune;

search_space read(const std::vector<parameter_text>& lines) {
  auto result = search_space::parse(lines);
  EXPECT_TRUE(result) << result.error().detail;
  return result ? std::move(*result) : search_space{};
}

std::string complaint(const std::vector<parameter_text>& lines) {
  auto result = search_space::parse(lines);
  return result ? "read" : result.error().detail;
}

std::string refusal(const search_space& space, const object& config, bool partial) {
  auto why = space.reject(config, partial);
  return why ? why->detail : "fine";
}

search_space optimizers() {
  return read({{"momentum", "uniform(0, 1) if opt.kind == sgd"},
               {"opt.kind", "choice(sgd, adam)"},
               {"opt.lr", "loguniform(1e-5, 1)"},
               {"nesterov", "choice(true, false) if momentum > 0.5 and opt.kind == sgd"},
               {"batch", "64"}});
}

TEST(search_space, bounds_the_length_and_the_depth_of_names) {
  auto deep = [](std::size_t parts) {
    std::string result = "a";
    for (std::size_t i = 1; i < parts; ++i)
      result += ".b";
    return result;
  };

  EXPECT_EQ(complaint({{deep(most_name_parts), "1"}}), "read");
  EXPECT_THAT(complaint({{deep(most_name_parts + 1), "1"}}),
              ::testing::EndsWith("at most 64 parts between dots or slashes, not 65"));
  EXPECT_EQ(complaint({{std::string(most_name_bytes, 'a'), "1"}}), "read");
  EXPECT_THAT(complaint({{std::string(most_name_bytes + 1, 'a'), "1"}}),
              ::testing::EndsWith("a name has at most 1000 bytes, not 1001"));
}

std::vector<std::string> idle(const std::vector<parameter_text>& lines) {
  std::vector<std::string> result;
  for (const auto& x : idle_comparisons(read(lines)))
    result.push_back(x.parameter + ": " + x.why);
  return result;
}

TEST(idle_comparisons, are_those_that_no_value_of_the_parameter_decides) {
  using ::testing::ElementsAre;

  EXPECT_THAT(idle({{"k", "choice(rbf, poly)"}, {"x", "1 if k == polly or k == rbf"}}),
              ElementsAre("x: k == polly never holds: k is choice(rbf, poly)"));
  EXPECT_THAT(idle({{"k", "grid(rbf, poly)"}, {"x", "1 if not k != polly"}}),
              ElementsAre("x: k != polly always holds: k is grid(rbf, poly)"));
  EXPECT_THAT(idle({{"k", "choice(rbf, poly)"}, {"x", "1 if k in (rbf, lin, 3)"}}),
              ElementsAre("x: k == lin never holds: k is choice(rbf, poly)",
                          "x: k == 3 never holds: k is choice(rbf, poly)"));
  EXPECT_THAT(idle({{"k", "choice(rbf, poly)"}, {"x", "1 if k > 3"}}),
              ElementsAre("x: k > 3 never holds: k is choice(rbf, poly)"));
  EXPECT_THAT(idle({{"n", "randint(1, 4)"}, {"x", "1 if n > 3 or n == 2.5 or n == two"}}),
              ElementsAre("x: n > 3 never holds: n is randint(1, 4)",
                          "x: n == 2.5 never holds: n is randint(1, 4)",
                          "x: n == two never holds: n is randint(1, 4)"));
  EXPECT_THAT(idle({{"f", "uniform(0, 1)"}, {"x", "1 if f >= 1.5 and f < 0 and f"}}),
              ElementsAre("x: f >= 1.5 never holds: f is uniform(0, 1)",
                          "x: f < 0 never holds: f is uniform(0, 1)",
                          "x: f == true never holds: f is uniform(0, 1)"));
}

TEST(idle_comparisons, are_none_where_some_value_decides) {
  using ::testing::IsEmpty;

  EXPECT_THAT(idle({{"k", "choice(rbf, 1, true)"},
                    {"x", "1 if k == rbf or k == 1.0 or k or k >= 1 or k < sgd"}}),
              IsEmpty());
  EXPECT_THAT(idle({{"n", "randint(1, 4)"}, {"x", "1 if n > 2 or n == 3.0 or n != 2"}}), IsEmpty());
  EXPECT_THAT(idle({{"f", "quniform(0, 1, 0.05)"}, {"x", "1 if f == 0.15 or f >= 1"}}), IsEmpty());
  EXPECT_THAT(idle({{"g", "randn(0, 1)"}, {"x", "1 if g > 100"}}), IsEmpty());
  EXPECT_THAT(idle({{"k", "rbf"}, {"x", "1 if k == poly or k > 3"}}), IsEmpty());
}

TEST(space, splits_conditions_off_outside_of_quotes_and_brackets) {
  auto uut = read({{"b", "choice(\"a if b\", \"x) if (\") if a == if_not"},
                   {"a", "choice(if_not, iffy, \"if\")"},
                   {"c", "grid([1], [2])if(a == iffy)"},
                   {"d", "[{\"if\": \"\\\" if a\"}] if a == iffy"}});

  EXPECT_EQ(to_text(uut.parameters()[0].what), "choice(\"a if b\", \"x) if (\")");
  EXPECT_EQ(uut.parameters()[0].active_if->text(), "a == if_not");
  EXPECT_FALSE(uut.parameters()[1].active_if);
  EXPECT_EQ(uut.parameters()[2].active_if->text(), "(a == iffy)");
  EXPECT_EQ(uut.parameters()[3].active_if->text(), "a == iffy");
}

TEST(space, orders_parents_before_children) {
  EXPECT_THAT(optimizers().order(), testing::ElementsAre(1, 0, 2, 3, 4));
  EXPECT_THAT(optimizers().parents(3), testing::ElementsAre(0, 1));
}

TEST(space, assembles_nested_objects_in_the_order_of_declaration) {
  auto uut = optimizers();

  EXPECT_EQ(uut.assemble({0.7, "sgd", 0.1, true, 64}),
            (object{{"momentum", 0.7},
                    {"opt", object{{"kind", "sgd"}, {"lr", 0.1}}},
                    {"nesterov", true},
                    {"batch", 64}}));
}

TEST(space, leaves_inactive_parameters_and_their_children_out) {
  auto uut = optimizers();

  EXPECT_THAT(uut.active({0.7, "adam", 0.1, true, 64}),
              testing::ElementsAre(false, true, true, false, true));
  EXPECT_EQ(uut.assemble({0.7, "adam", 0.1, true, 64}),
            (object{{"opt", object{{"kind", "adam"}, {"lr", 0.1}}}, {"batch", 64}}));
}

TEST(space, lets_the_other_side_of_an_or_decide_for_an_inactive_parent) {
  auto uut = read({{"a", "choice(x, y)"},
                   {"b", "choice(1, 2) if a == x"},
                   {"c", "7 if a == y or b == 1"},
                   {"d", "8 if not b == 1"}});

  EXPECT_THAT(uut.active({"y", 1, 7, 8}), testing::ElementsAre(true, false, true, false));
  EXPECT_THAT(uut.active({"x", 1, 7, 8}), testing::ElementsAre(true, true, true, false));
  EXPECT_THAT(uut.active({"x", 2, 7, 8}), testing::ElementsAre(true, true, false, true));
}

TEST(space, accepts_configurations_of_its_own) {
  auto uut = optimizers();

  EXPECT_EQ(refusal(uut, uut.assemble({0.7, "sgd", 0.1, true, 64}), false), "fine");
  EXPECT_EQ(refusal(uut, uut.assemble({0.7, "adam", 0.1, true, 64}), false), "fine");
  EXPECT_EQ(refusal(uut, {{"opt.lr", 0.1}}, true), "fine");
  EXPECT_EQ(refusal(uut, {{"nesterov", true}}, true), "fine");
  EXPECT_EQ(refusal(uut, {}, true), "fine");
}

TEST(space, tells_why_a_configuration_is_none_of_its_own) {
  auto uut = optimizers();

  EXPECT_EQ(
      refusal(uut, {{"opt", object{{"kind", "sgd"}}}, {"batch", 64}, {"momentum", 0.1}}, false),
      "\"opt.lr\": is missing");
  EXPECT_EQ(refusal(uut, {{"opt", object{{"lr", 2.0}}}}, true),
            "\"opt.lr\": 2 is not in loguniform(1e-05, 1)");
  EXPECT_EQ(refusal(uut, {{"opt", object{{"lt", 0.1}}}}, true),
            "\"opt.lt\": is not a parameter; did you mean \"opt.lr\"?");
  EXPECT_EQ(refusal(uut, {{"opt", 1}}, true), "\"opt\": holds parameters and must be an object");
  EXPECT_EQ(refusal(uut, {{"opt.lr", 0.1}, {"opt", object{{"lr", 0.1}}}}, true),
            "\"opt.lr\": is given twice");
  EXPECT_EQ(refusal(uut, {{"opt.kind", "adam"}, {"momentum", 0.5}}, true),
            "\"momentum\": is given, but not active: its condition is opt.kind == sgd");
  EXPECT_EQ(refusal(uut, {{"opt.kind", "adam"}, {"nesterov", true}}, true),
            "\"nesterov\": is given, but not active: its condition is momentum > 0.5 and opt.kind "
            "== sgd");
  EXPECT_EQ(refusal(uut, {{"momentum", 0.4}, {"nesterov", true}}, true),
            "\"nesterov\": is given, but not active: its condition is momentum > 0.5 and opt.kind "
            "== sgd");
  EXPECT_EQ(refusal(uut, {{"batch", 32}}, true), "\"batch\": 32 is not in 64");
  EXPECT_EQ(refusal(uut, {{"batch", "64"}}, true), "\"batch\": \"64\" is not in 64");
}

TEST(space, takes_constants_into_account_that_a_part_leaves_out) {
  auto uut = read({{"kind", "adam"}, {"momentum", "uniform(0, 1) if kind == sgd"}});

  EXPECT_EQ(refusal(uut, {{"momentum", 0.5}}, true),
            "\"momentum\": is given, but not active: its condition is kind == sgd");
}

TEST(space, refuses_broken_lines_naming_parameter_and_column) {
  EXPECT_EQ(complaint({{"lr", "uniform(1, 0)"}}),
            "\"lr\": column 12: uniform(low, high): high = 0 must be above low = 1");
  EXPECT_EQ(complaint({{"lr", "uniform(0, 1) if"}}),
            "\"lr\": in the condition after 'if', column 1: expected a parameter's name, found the "
            "end");
  EXPECT_EQ(complaint({{"lr", "if a == 1"}}),
            "\"lr\": column 1: expected a value or a distribution, found the end");
  EXPECT_EQ(complaint({{"lr", "choice(a, b if x == 1"}}),
            "\"lr\": column 13: expected ',' or ')', found 'if'");
  EXPECT_EQ(complaint({{"lr", "choice(\"a, b) if x == 1"}}),
            "\"lr\": column 8: '\"' is never closed");
}

TEST(space, refuses_texts_that_no_program_would_see_whole) {
  const std::string why
      = ": a text must not have a NUL byte (\\u0000): programs would see its front only";

  EXPECT_EQ(complaint({{"a", R"("x\u0000y")"}}), "\"a\"" + why);
  EXPECT_EQ(complaint({{"b", R"(choice(x, "\u0000"))"}}), "\"b\"" + why);
  EXPECT_EQ(complaint({{"c", R"(grid("x\u0000"))"}}), "\"c\"" + why);
  EXPECT_EQ(complaint({{"d", R"("x\u0001y")"}}), "read");
}

TEST(space, refuses_names_that_cannot_be) {
  EXPECT_EQ(complaint({{"a", "1"}, {"a", "2"}}), "\"a\": is declared twice");
  EXPECT_EQ(complaint({{"a.b", "1"}, {"a", "2"}}), "\"a\": cannot be a value and hold \"a.b\"");
  for (auto name : {"", ".a", "a.", "a..b"})
    EXPECT_THAT(complaint({{name, "1"}}), testing::HasSubstr("must not be empty")) << name;
}

TEST(space, refuses_conditions_on_unknown_names_itself_and_circles) {
  EXPECT_EQ(complaint({{"optimizer", "choice(sgd, adam)"}, {"m", "1 if optimiser == sgd"}}),
            "\"m\": its condition reads \"optimiser\", which is not a parameter; did you mean "
            "\"optimizer\"?");
  EXPECT_EQ(complaint({{"m", "1 if m == 1"}}), "\"m\": its condition reads itself");
  EXPECT_EQ(complaint({{"z", "1 if b == 1"},
                       {"a", "1 if b == 1"},
                       {"b", "1 if d == 2 and c == 1"},
                       {"c", "1 if a == 1"},
                       {"d", "choice(1, 2)"}}),
            "\"b\": conditions go round in a circle: b reads c reads a reads b");
}

TEST(space, takes_thousands_of_parameters_in_a_chain) {
  std::vector<parameter_text> lines;
  for (int i = 0; i < 5000; ++i)
    lines.push_back(
        {"p" + std::to_string(i), i == 0 ? "1" : "1 if p" + std::to_string(i - 1) + " == 1"});
  auto uut = read(lines);
  EXPECT_THAT(uut.active(std::vector<value>(5000, 1)), testing::Each(true));

  lines[0].text = "1 if p4999 == 1";
  EXPECT_THAT(complaint(lines), testing::HasSubstr("in a circle"));
  EXPECT_LT(complaint(lines).size(), 300u);
}

TEST(space, survives_damaged_texts_and_reads_its_own_renderings) {
  const std::string whole[] = {"uniform(-1e3, 2.5) if a == 1 and not (b in (x, \"y\") or c)",
                               "choice(\"a\\u00e4\", {k: [1, 2, {}]}, null) if a != [1]",
                               "quniform(0, 0.5, 0.05)", "qlograndint(8, 64, 8)if(a)"};
  rng from{1, "damage", 0};
  int read_back = 0;
  for (int i = 0; i < 5000; ++i) {
    auto text = whole[from.below(4)];
    for (auto n = from.below(4); n > 0; --n) {
      auto at = from.below(text.size() + 1);
      constexpr std::string_view pieces = "()[]{}\"\\,.:-=if 019eq\0\xff";
      if (from.below(2) == 0)
        text.erase(at, 1 + from.below(3));
      else
        text.insert(at, 1, pieces[from.below(pieces.size())]);
    }
    auto uut = search_space::parse({{"p", text}, {"a", "1"}, {"b", "x"}, {"c", "true"}});
    if (!uut) {
      EXPECT_GT(uut.error().detail.size(), 10u) << text;
      continue;
    }
    const auto& what = uut->parameters()[0].what;
    auto again = parse_domain(to_text(what));
    ASSERT_TRUE(again) << text << " became " << to_text(what) << ": " << again.error().detail;
    EXPECT_EQ(to_text(*again), to_text(what)) << text;
    ++read_back;
  }
  EXPECT_GT(read_back, 300);
}

TEST(find_parameter, enters_objects_at_dots) {
  object config{{"a", object{{"b", object{{"c", 1}}}, {"b.c", 2}}}, {"x.y", 3}};

  EXPECT_EQ(*find_parameter(config, "a.b.c"), value{2});
  EXPECT_EQ(*find_parameter(config, "x.y"), value{3});
  EXPECT_EQ(find_parameter(config, "a.c"), nullptr);
  EXPECT_EQ(find_parameter(config, "x.y.z"), nullptr);
}

TEST(flatten, joins_names_by_dots_and_keeps_the_order) {
  object config{{"b", object{{"y", 1}, {"x", object{{"z", 2}}}}}, {"a", object{}}};

  EXPECT_EQ(flatten(config), (std::vector<std::pair<std::string, value>>{
                                 {"b.y", 1}, {"b.x.z", 2}, {"a", object{}}}));
}

TEST(flatten, leaves_the_values_of_named_parameters_whole) {
  const object layer{{"kind", "a"}, {"depth", 3}};
  object config{{"net", object{{"layer", layer}, {"lr", 1}}}, {"model", layer}};
  const std::vector<std::string> whole{"model", "net.layer"};

  EXPECT_EQ(flatten(config, whole), (std::vector<std::pair<std::string, value>>{
                                        {"net.layer", layer}, {"net.lr", 1}, {"model", layer}}));
}

TEST(object_parameters, are_those_with_objects_among_their_values) {
  auto space = search_space::parse({{"a", R"(choice({"x": 1}, none))"},
                                    {"n.b", R"(grid(1, {"x": 1}))"},
                                    {"c", R"({"x": 1})"},
                                    {"d", "choice(1, 2)"},
                                    {"n.e", "uniform(0, 1)"},
                                    {"f", R"(permutation({"x": 1}, 2))"}});

  ASSERT_TRUE(space) << space.error().detail;
  EXPECT_EQ(object_parameters(*space), (std::vector<std::string>{"a", "n.b", "c"}));
}

} // namespace
