// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/hello.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <optional>

namespace tune {

namespace {

constexpr std::size_t longest_name = 100;

/// Reads the fields of one object; remembers the first that is wrong.
class reader {
public:
  explicit reader(const object& from) : from_{from} {}

  template <class T>
  T get(std::string_view name) {
    const auto* found = from_.find(name);
    if (found != nullptr) {
      if (const auto* fit = std::get_if<T>(&found->content()))
        return *fit;
    }
    fail(std::string{name} + (found == nullptr ? " is missing" : " has a wrong type"));
    return T{};
  }

  amount get_amount(std::string_view name) {
    auto units = get<std::int64_t>(name);
    if (units < 0)
      fail(std::string{name} + " is negative");
    return {units};
  }

  void fail(std::string what) {
    if (!fault_)
      fault_ = error{ec::bad_option, "in a hello: " + std::move(what)};
  }

  [[nodiscard]] const std::optional<error>& fault() const { return fault_; }

private:
  const object& from_;
  std::optional<error> fault_;
};

void write(object& to, const build_identity& x) {
  to.set("protocol", value{x.protocol});
  to.set("version", value{x.version});
  to.set("caf", value{x.caf});
}

build_identity read_build(reader& from) {
  return {from.get<std::int64_t>("protocol"), from.get<std::string>("version"),
          from.get<std::string>("caf")};
}

object written(const resources& x) {
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

resources read_resources(reader& from) {
  resources result;
  auto all = from.get<object>("capacity");
  reader inner{all};
  result.cpu = inner.get_amount("cpu");
  result.gpu = inner.get_amount("gpu");
  result.memory = static_cast<std::uint64_t>(inner.get_amount("memory").units);
  auto custom = inner.get<object>("custom");
  reader amounts{custom};
  for (const auto& [name, much] : custom)
    result.custom[name] = amounts.get_amount(name);
  for (const auto* x : {&inner, &amounts}) {
    if (x->fault())
      from.fail("capacity: " + x->fault()->detail);
  }
  return result;
}

} // namespace

build_identity this_build() {
  return {wire_protocol, TUNE_VERSION, TUNE_CAF_VERSION};
}

std::string to_text(const build_identity& x) {
  return "tune-node " + x.version + " (protocol " + std::to_string(x.protocol) + ", CAF " + x.caf
         + ")";
}

std::string to_json(const hello& x) {
  object result;
  write(result, x.build);
  result.set("cluster", value{x.cluster});
  result.set("name", value{x.name});
  result.set("worker", value{x.worker});
  result.set("wall_ms", value{x.wall_ms});
  result.set("capacity", value{written(x.capacity)});
  value::list labels;
  for (const auto& label : x.labels)
    labels.emplace_back(label);
  result.set("labels", value{std::move(labels)});
  return to_json(result);
}

expected<hello> hello_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  reader from{*all};
  hello result;
  result.build = read_build(from);
  result.cluster = from.get<std::string>("cluster");
  result.name = from.get<std::string>("name");
  result.worker = from.get<std::string>("worker");
  result.wall_ms = from.get<std::int64_t>("wall_ms");
  result.capacity = read_resources(from);
  for (const auto& label : from.get<value::list>("labels")) {
    if (const auto* word = std::get_if<std::string>(&label.content()))
      result.labels.insert(*word);
    else
      from.fail("labels has a wrong type");
  }
  if (from.fault())
    return *from.fault();
  return result;
}

std::string to_json(const hello_answer& x) {
  object result;
  if (const auto* yes = std::get_if<welcome>(&x)) {
    result.set("ok", value{true});
    write(result, yes->build);
    result.set("name", value{yes->name});
    result.set("ticket", value{static_cast<std::int64_t>(yes->ticket)});
    result.set("wall_ms", value{yes->wall_ms});
  } else {
    const auto& no = std::get<rejection>(x);
    result.set("ok", value{false});
    result.set("why", value{no.why});
    result.set("try_again", value{no.try_again});
  }
  return to_json(result);
}

expected<hello_answer> hello_answer_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  reader from{*all};
  if (from.get<bool>("ok")) {
    welcome yes;
    yes.build = read_build(from);
    yes.name = from.get<std::string>("name");
    yes.ticket = static_cast<std::uint64_t>(from.get<std::int64_t>("ticket"));
    yes.wall_ms = from.get<std::int64_t>("wall_ms");
    if (!from.fault())
      return hello_answer{std::move(yes)};
  } else {
    rejection no{from.get<std::string>("why"), from.get<bool>("try_again")};
    if (!from.fault())
      return hello_answer{std::move(no)};
  }
  return *from.fault();
}

expected<void> may_enter(const hello& who, const build_identity& build,
                         const std::string& cluster) {
  if (who.build.protocol != build.protocol || who.build.caf != build.caf)
    return error{ec::refused, "other version: the head runs " + to_text(build) + ", worker '"
                                  + who.name + "' " + to_text(who.build)
                                  + "; install the same on both"};
  if (who.cluster != cluster)
    return error{ec::refused, "other cluster: the head belongs to cluster '" + cluster
                                  + "', worker '" + who.name + "' to '" + who.cluster + "'"};
  return {};
}

std::string free_name(std::string wanted, const std::set<std::string>& taken) {
  static constexpr std::string_view fine
      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  for (auto& c : wanted) {
    if (fine.find(c) == fine.npos)
      c = '-';
  }
  wanted.resize(std::min(wanted.size(), longest_name));
  if (wanted.empty())
    wanted = "node";
  auto result = wanted;
  for (int i = 2; taken.contains(result); ++i)
    result = wanted + "-" + std::to_string(i);
  return result;
}

} // namespace tune
