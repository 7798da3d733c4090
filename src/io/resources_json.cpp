// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/resources_json.hpp"

namespace tune {

namespace {

amount get_amount(field_reader& from, std::string_view name) {
  return {static_cast<std::int64_t>(from.get_count(name))};
}

} // namespace

object to_object(const resources& x) {
  object result;
  result.set("cpu", value{x.cpu.units});
  result.set("gpu", value{x.gpu.units});
  result.set("memory", value{static_cast<std::int64_t>(x.memory)});
  object custom;
  for (const auto& [name, much] : x.custom)
    custom.set(name, value{much.units});
  result.set("custom", value{std::move(custom)});
  return result;
}

resources read_resources(field_reader& from, std::string_view name) {
  resources result;
  auto all = from.get<object>(name);
  field_reader inner{all, std::string{name}};
  result.cpu = get_amount(inner, "cpu");
  result.gpu = get_amount(inner, "gpu");
  result.memory = inner.get_count("memory");
  auto custom = inner.get<object>("custom");
  field_reader amounts{custom, std::string{name}};
  for (const auto& [called, much] : custom)
    result.custom[called] = get_amount(amounts, called);
  for (const auto* x : {&inner, &amounts}) {
    if (x->fault())
      from.fail(x->fault()->detail);
  }
  return result;
}

} // namespace tune
