// SPDX-License-Identifier: BSD-3-Clause
#include "quality/recorded.hpp"

#include "quality/parts.hpp"

#include <cstdlib>
#include <iostream>
#include <istream>
#include <sstream>

namespace tune::quality {

void refuse(const std::string& path, const std::string& why) {
  std::cerr << path << ": " << why << '\n';
  std::exit(1);
}

std::shared_ptr<const search_space> space_of(const std::vector<parameter_text>& lines) {
  auto made = search_space::parse(lines);
  if (!made) {
    std::cerr << made.error().detail << '\n';
    std::exit(1);
  }
  return std::make_shared<const search_space>(std::move(*made));
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream in{line};
  for (std::string field; std::getline(in, field, ',');)
    result.push_back(field);
  return result;
}

std::vector<parameter_text> read_parameters(std::istream& in, const std::string& path) {
  std::vector<parameter_text> lines;
  std::string line;
  std::getline(in, line);
  while (in.peek() == '#' && std::getline(in, line)) {
    auto at = line.find(" = ");
    if (at == std::string::npos)
      refuse(path, "no parameter: " + line);
    lines.push_back({line.substr(2, at - 2), line.substr(at + 3)});
  }
  return lines;
}

namespace {

value value_of(const domain& what, const std::string& text) {
  if (const auto* list = std::get_if<choice_of>(&what)) {
    if (list->options.front().as_string() != nullptr)
      return text;
    return static_cast<std::int64_t>(std::stoll(text));
  }
  auto number = std::stod(text);
  if (std::holds_alternative<int_range>(what))
    return static_cast<std::int64_t>(number);
  return number;
}

} // namespace

object config_of(const search_space& space, const std::vector<std::string>& row) {
  object result;
  const auto& parameters = space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!row[i].empty())
      result.set(parameters[i].name, value_of(parameters[i].what, row[i]));
  }
  return result;
}

} // namespace tune::quality
