// SPDX-License-Identifier: BSD-3-Clause
#include "run/additions.hpp"

#include "tune/io/json.hpp"
#include "tune/io/spec/fit_config.hpp"

#include <memory>
#include <utility>

namespace tune::cli {

expected<std::vector<on::add_asked>>
additions_of(const std::string& json, const search_space& space, const std::string& key) {
  std::vector<on::add_asked> result;
  if (json.empty())
    return result;
  auto refused = [](const error& why) { return error{why.code, "--add: " + why.detail}; };
  auto read = from_json(json);
  if (!read)
    return refused(read.error());
  const auto* list = read->as_list();
  for (const auto& x : list != nullptr ? *list : value::list{*read}) {
    const auto* config = x.as_object();
    if (config == nullptr)
      return error{ec::bad_syntax, "--add: " + to_json(x)
                                       + " is no configuration: an object is wanted, or a list of "
                                         "objects"};
    auto whole = complete_config(*config, space);
    if (!whole)
      return refused(whole.error());
    auto own = key.empty() ? std::string{} : key + "-" + std::to_string(result.size());
    result.push_back({std::move(own), std::make_shared<const object>(std::move(*whole))});
  }
  return result;
}

} // namespace tune::cli
