// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/hello.hpp"

#include "tune/io/field_reader.hpp"
#include "tune/io/json.hpp"
#include "tune/io/resources_json.hpp"

#include <algorithm>
#include <optional>

namespace tune {

namespace {

constexpr std::size_t longest_name = 100;

constexpr auto here = "in a hello";

void write(object& to, const build_identity& x) {
  to.set("protocol", value{x.protocol});
  to.set("version", value{x.version});
  to.set("caf", value{x.caf});
}

build_identity read_build(field_reader& from) {
  return {from.get<std::int64_t>("protocol"), from.get<std::string>("version"),
          from.get<std::string>("caf")};
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
  result.set("capacity", value{to_object(x.capacity)});
  value::list labels;
  for (const auto& label : x.labels)
    labels.emplace_back(label);
  result.set("labels", value{std::move(labels)});
  result.set("process", value{x.process});
  result.set("address", value{x.route.own});
  result.set("head_address", value{x.route.head});
  result.set("devices", value{value::list{x.devices.begin(), x.devices.end()}});
  if (!x.head.empty())
    result.set("head", value{x.head});
  if (x.lost_after_ms > 0)
    result.set("lost_after_ms", value{x.lost_after_ms});
  return to_json(result);
}

std::string to_json(const farewell& x) {
  object result;
  result.set("role", "farewell");
  write(result, x.build);
  result.set("cluster", value{x.cluster});
  result.set("worker", value{x.worker});
  return to_json(result);
}

expected<std::optional<farewell>> farewell_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in a farewell"};
  if (from.get_if<std::string>("role") != "farewell")
    return std::optional<farewell>{};
  farewell result{read_build(from), from.get<std::string>("cluster"),
                  from.get<std::string>("worker")};
  if (from.fault())
    return *from.fault();
  return std::optional{std::move(result)};
}

std::string to_json(const checkup_question& x) {
  object result;
  result.set("role", "checkup");
  write(result, x.build);
  result.set("cluster", value{x.cluster});
  return to_json(result);
}

expected<std::optional<checkup_question>> checkup_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in a checkup"};
  if (from.get_if<std::string>("role") != "checkup")
    return std::optional<checkup_question>{};
  checkup_question result{read_build(from), from.get<std::string>("cluster")};
  if (from.fault())
    return *from.fault();
  return std::optional{std::move(result)};
}

std::string to_json(const checkup_answer& x) {
  object result;
  result.set("ok", value{true});
  write(result, x.build);
  result.set("cluster", value{x.cluster});
  result.set("wall_ms", value{x.wall_ms});
  result.set("storage", value{x.storage});
  result.set("storage_token", value{x.storage_token});
  return to_json(result);
}

expected<checkup_answer> checkup_answer_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in the answer to a checkup"};
  checkup_answer result;
  if (!from.get<bool>("ok")) {
    auto why = from.get<std::string>("why");
    return from.fault() ? *from.fault() : error{ec::refused, why};
  }
  result.build = read_build(from);
  result.cluster = from.get<std::string>("cluster");
  result.wall_ms = from.get<std::int64_t>("wall_ms");
  result.storage = from.get_if<std::string>("storage").value_or("");
  result.storage_token = from.get_if<std::string>("storage_token").value_or("");
  if (from.fault())
    return *from.fault();
  return result;
}

expected<hello> hello_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, here};
  hello result;
  result.build = read_build(from);
  result.cluster = from.get<std::string>("cluster");
  result.name = from.get<std::string>("name");
  result.worker = from.get<std::string>("worker");
  result.wall_ms = from.get<std::int64_t>("wall_ms");
  result.capacity = read_resources(from, "capacity");
  for (const auto& label : from.get<value::list>("labels")) {
    if (const auto* word = std::get_if<std::string>(&label.content()))
      result.labels.insert(*word);
    else
      from.fail("labels has a wrong type");
  }
  // Other builds may omit these; they are then told that their version differs.
  result.process = from.get_if<std::string>("process").value_or("");
  result.route = {from.get_if<std::string>("address").value_or(""),
                  from.get_if<std::string>("head_address").value_or("")};
  for (const auto& device : from.get_if<value::list>("devices").value_or(value::list{})) {
    if (const auto* name = std::get_if<std::string>(&device.content()))
      result.devices.push_back(*name);
    else
      from.fail("devices has a wrong type");
  }
  result.head = from.get_if<std::string>("head").value_or("");
  result.lost_after_ms = from.get_if<std::int64_t>("lost_after_ms").value_or(0);
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
    result.set("head", value{yes->head});
    result.set("process", value{yes->process});
    result.set("lost_after_ms", value{yes->lost_after_ms});
    if (yes->head_grace_ms > 0)
      result.set("head_grace_ms", value{yes->head_grace_ms});
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
  field_reader from{*all, here};
  if (from.get<bool>("ok")) {
    welcome yes;
    yes.build = read_build(from);
    yes.name = from.get<std::string>("name");
    yes.ticket = static_cast<std::uint64_t>(from.get<std::int64_t>("ticket"));
    yes.wall_ms = from.get<std::int64_t>("wall_ms");
    yes.head = from.get_if<std::string>("head").value_or("");
    yes.process = from.get_if<std::string>("process").value_or("");
    yes.lost_after_ms = from.get_if<std::int64_t>("lost_after_ms").value_or(0);
    yes.head_grace_ms = from.get_if<std::int64_t>("head_grace_ms").value_or(0);
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
  return may_speak("worker '" + who.name + "'", who.build, who.cluster, build, cluster);
}

expected<void> may_speak(const std::string& whom, const build_identity& its_build,
                         const std::string& its_cluster, const build_identity& build,
                         const std::string& cluster) {
  if (its_build.protocol != build.protocol || its_build.caf != build.caf)
    return error{ec::refused, "other version: the head runs " + to_text(build) + ", " + whom + " "
                                  + to_text(its_build) + "; install the same on both"};
  if (its_cluster != cluster)
    return error{ec::refused, "other cluster: the head belongs to cluster '" + cluster + "', "
                                  + whom + " to '" + its_cluster + "'"};
  return {};
}

std::string free_name(std::string wanted, const std::function<bool(const std::string&)>& is_taken) {
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
  for (int i = 2; is_taken(result); ++i)
    result = wanted + "-" + std::to_string(i);
  return result;
}

} // namespace tune
