// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/code_of_heads.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <utility>

namespace tune::cli {

expected<std::vector<head_code>> code_of_heads(store_reader& from) {
  auto heads = from.openings();
  if (!heads)
    return heads.error();
  std::vector<head_code> result;
  for (const auto& x : *heads) {
    // An entry that an earlier version wrote in another format names no files.
    auto what = spec_from_json(x.spec);
    result.push_back({x.epoch, what ? std::move(what->code) : std::vector<named_text>{}});
  }
  return result;
}

std::vector<named_text> mixed_code(const std::vector<head_code>& heads) {
  std::vector<named_text> result;
  for (const auto& head : heads) {
    for (const auto& file : head.files) {
      auto known = std::find_if(result.begin(), result.end(),
                                [&](const named_text& x) { return x.name == file.name; });
      if (known == result.end())
        result.push_back(file);
      else if (known->text.find(file.text) == std::string::npos)
        known->text += ", " + file.text;
    }
  }
  return result;
}

} // namespace tune::cli
