// SPDX-License-Identifier: BSD-3-Clause
#include "client/client_command.hpp"

#include "client/advice_at_rest.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "output/write_rows.hpp"
#include "run/ending.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/space/domain.hpp"
#include "tune/io/control/control_client.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using kind = order_verdict::kind;

bool is_done(const order_verdict& x) {
  return x.what == kind::taken || x.what == kind::needless;
}

expected<object> config_of(const client_command& what) {
  if (what.config) {
    auto read = object_from_json(*what.config);
    if (!read)
      return error{read.error().code, "--config: " + read.error().detail};
    return read;
  }
  object result;
  for (const auto& x : what.values) {
    auto read = parse_literal(x.text);
    if (!read)
      return error{read.error().code, x.name + " = " + x.text + ": " + read.error().detail};
    result.set(x.name, std::move(*read));
  }
  return result;
}

object to_object(const order_verdict& x) {
  object result;
  result.set("trial", x.trial ? value{to_text(*x.trial)} : value{});
  result.set("outcome", to_text(x.what));
  result.set("text", x.text);
  return result;
}

void write_lines(std::span<const order_verdict> told, const std::string& experiment,
                 std::ostream& out, std::ostream& talk) {
  for (const auto& x : told) {
    auto whom = x.trial ? "trial " + to_text(*x.trial) : experiment;
    auto line = printable(whom + ": " + x.text) + '\n';
    if (is_done(x))
      out << line;
    else
      talk << program_name() << ": " << line;
  }
}

exit_code code_of_told(std::span<const order_verdict> told) {
  auto any = [&](kind what) {
    return std::any_of(told.begin(), told.end(), [&](const auto& x) { return x.what == what; });
  };
  if (any(kind::unknown))
    return exit_code::configuration;
  return any(kind::refused) ? exit_code::refused : exit_code::done;
}

} // namespace

expected<control_request> request_of(const client_command& what) {
  control_request result;
  result.what = what.what;
  result.trials = what.trials;
  result.key = what.key;
  result.from_scratch = what.from_scratch;
  if (what.what != control_request::op::add)
    return result;
  auto config = config_of(what);
  if (!config)
    return config.error();
  result.config = std::move(*config);
  return result;
}

void write_told(std::span<const order_verdict> told, const std::string& experiment,
                output_format format, std::ostream& out, std::ostream& talk) {
  if (format == output_format::table)
    return write_lines(told, experiment, out, talk);
  std::vector<object> rows;
  for (const auto& x : told)
    rows.push_back(to_object(x));
  if (format == output_format::csv)
    write_csv(titles_of(to_object(order_verdict{})), rows, out);
  else
    write_rows(rows, format, json_layout::one_line, out);
}

exit_code run_client(const command_line& line, const client_command& what) {
  auto wish = request_of(what);
  if (!wish)
    return complain(wish.error());
  auto directory = directory_of(what.directory);
  if (!directory)
    return complain(directory.error());
  auto answer = ask_control(*directory, *wish);
  if (!answer)
    return complain(with_advice_at_rest(answer.error(), *wish, *directory));
  auto name = fs::absolute(*directory).lexically_normal().filename().string();
  write_told(answer->told, name, line.output.value_or(output_format::table), std::cout, std::cerr);
  return code_of_told(answer->told);
}

} // namespace tune::cli
