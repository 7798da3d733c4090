// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/host_talk.hpp"

#include "tune/io/json.hpp"
#include "tune/io/process/bundle_list.hpp"

namespace tune {

namespace {

std::string text_of(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  const auto* text = found == nullptr ? nullptr : found->as_string();
  return text == nullptr ? std::string{} : *text;
}

std::vector<std::string> texts_of(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  std::vector<std::string> result;
  if (found == nullptr || found->as_list() == nullptr)
    return result;
  for (const auto& x : *found->as_list()) {
    if (x.as_string() != nullptr)
      result.push_back(*x.as_string());
  }
  return result;
}

double number_of(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found == nullptr ? 0 : found->number().value_or(0);
}

} // namespace

std::string to_line(const host_order& what) {
  const auto& with = what.context;
  object next{{"trial", with.trial_id},
              {"experiment", with.experiment},
              {"directory", with.directory.string()},
              {"cpus", with.cpus},
              {"gpus", with.gpus},
              {"devices", with.visible_devices},
              {"params", what.params.string()}};
  if (!with.exports.empty()) {
    next.set("exports", value::list{with.exports.begin(), with.exports.end()});
    next.set("export_directory", with.export_directory.string());
  }
  if (!with.bundles.empty())
    next.set("bundles", to_value(with.bundles));
  if (what.restore)
    next.set("restore", what.restore->string());
  if (with.ends)
    next.set("ends", true);
  return to_json(object{{"next", std::move(next)}});
}

expected<host_order> read_host_order(std::string_view text) {
  auto whole = object_from_json(text);
  if (!whole)
    return error{ec::protocol, whole.error().detail};
  const auto* found = whole->find("next");
  const auto* next = found == nullptr ? nullptr : found->as_object();
  if (next == nullptr)
    return error{ec::protocol, "no 'next' in what a waiting host was told"};
  host_order result;
  result.context
      = {text_of(*next, "trial"),  text_of(*next, "experiment"), text_of(*next, "directory"),
         number_of(*next, "cpus"), number_of(*next, "gpus"),     text_of(*next, "devices")};
  result.context.exports = texts_of(*next, "exports");
  result.context.export_directory = text_of(*next, "export_directory");
  if (const auto* bundles = next->find("bundles"))
    result.context.bundles = bundles_from(*bundles);
  const auto* ends = next->find("ends");
  result.context.ends = ends != nullptr && ends->as_bool() != nullptr && *ends->as_bool();
  result.params = text_of(*next, "params");
  if (result.context.directory.empty() || result.params.empty())
    return error{ec::protocol, "an attempt without directory or parameters"};
  if (auto restore = text_of(*next, "restore"); !restore.empty())
    result.restore = restore;
  return result;
}

} // namespace tune
