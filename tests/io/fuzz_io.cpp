// SPDX-License-Identifier: BSD-3-Clause
//
// Feeds what reads files and answers of other programs with nonsense: JSON, tables of curves,
// answers of MLflow, addresses; and gives the writer of CSV such texts. Checks what must hold
// whatever they are given. With -DTUNE_LIBFUZZER it is a target of libFuzzer; else it draws its
// inputs itself, by changing examples:
//
//   tune_io_fuzz EXECUTIONS [SEED]
#include "sinks/csv_rows.hpp"
#include "sinks/http/http_client.hpp"
#include "sinks/mlflow/mlflow_client.hpp"
#include "support/fuzz_by_chance.hpp"
#include "table/csv_reader.hpp"
#include "tune/io/json.hpp"
#include "tune/io/loose_json.hpp"
#include "tune/io/table/curve_table.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace tune;

void must(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void check_json(std::string_view text) {
  const auto read = from_json(text);
  static_cast<void>(from_loose_json(text));
  if (!read)
    return;
  // What was read is written as something that is read again, and then as the same.
  const auto written = to_json(*read);
  const auto again = from_json(written);
  must(again.has_value() && to_json(*again) == written, "JSON is read as it is written");
}

void check_table(std::string_view text) {
  static const auto space = search_space::parse({{"lr", "loguniform(1e-4, 1)", {}}});
  must(space.has_value(), "the space is one");
  const auto table = curve_table::parse(text, "t.csv", {"lr"});
  if (!table) {
    must(!table.error().detail.empty(), "a fault has words");
    return;
  }
  const object config{{"lr", 0.1}};
  for (const auto& report : table->curve_of(config, *space))
    must(report.contains("training_iteration"), "a report has its iteration");
}

void check_mlflow(std::string_view text) {
  http_reply reply{200, std::string{text}};
  const auto answer = mlflow::read_answer("http://x", reply);
  if (answer)
    static_cast<void>(mlflow::runs_in(*answer));
  reply.status = 400;
  const auto refused = mlflow::read_answer("http://x", reply);
  must(!refused.has_value(), "a status of failure is one");
  for (const auto x : refused.error().detail)
    must(static_cast<unsigned char>(x) >= 0x20 && x != 0x7f, "what is said can be printed");
}

/// Whether a cell is harmless in spreadsheets and terminals.
void check_cell(std::string_view text) {
  static const experiment_facts facts;
  static const csv_rows rows{facts, {"text"}};
  report told;
  told.iteration = 1;
  object metrics{{"text", std::string{text}}};
  if (const auto fit = fit_for_record(metrics))
    told.metrics = std::make_shared<const object>(*fit);
  static const attempt_facts by;
  const auto line = rows.row({1, instant{0}, 0, &by}, told);
  for (const auto x : line)
    must(static_cast<unsigned char>(x) >= 0x20 || x == '\n' || x == '\r', "no control character");
  const auto cells = csv_reader{line}.next();
  static const auto many = csv_reader{rows.title()}.next()->size();
  must(cells && cells->size() == many, "a row has its cells");
  // The metric's is followed by that of all others.
  const auto& cell = (*cells)[many - 2];
  must(cell.empty() || std::string_view{"=+-@|%"}.find(cell.front()) == std::string_view::npos,
       "no cell is a formula");
}

void check(std::string_view text) {
  check_json(text);
  check_table(text);
  check_mlflow(text);
  check_cell(text);
  static_cast<void>(why_no_url(text));
}

} // namespace

#ifdef TUNE_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}

#else

namespace {

constexpr std::string_view examples[]
    = {R"({"runs":[{"info":{"run_id":"a1"},"data":{"tags":[{"key":"k","value":"v"}]}}],)"
       R"("next_page_token":"t"})",
       R"({"error_code":"RESOURCE_DOES_NOT_EXIST","message":"\u001b[31mno\u0000"})",
       R"([1,-2.5e-3,9223372036854775807,NaN,"nan",{"a":{"b":[null,true]}},"\ud83d\ude00"])",
       "config.lr,training_iteration,loss,note\n0.1,1,0.5,\"a, \"\"b\"\"\"\r\n0.1,2,0.4,\n",
       "lr,training_iteration,loss\n1e-3,1,nan\n,2,=cmd|' /C calc'!A0\n",
       "http://user:word@host:4318/v1/traces?x=1#y",
       "=HYPERLINK(\"http://x\";\"y\")\x1b]0;z\x07"};

} // namespace

int main(int argc, char** argv) {
  using namespace std::literals;
  constexpr auto marks = "{}[]\",:\\/\r\n\0 =+-@|%019eEuNan\x1b\x80\xff"sv;
  return tune::support::fuzz_by_chance(argc, argv, examples, marks, check);
}

#endif
