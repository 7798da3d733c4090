// SPDX-License-Identifier: BSD-3-Clause
#include "layers.hpp"

#include "tune/io/spec/keys.hpp"

#include <boost/program_options.hpp>

#include <set>
#include <sstream>

namespace tune {

namespace {

namespace po = boost::program_options;

/// Replaces '#' on the way through the library, which would cut the line there. The scan rejects
/// control characters, so this one cannot occur otherwise.
constexpr char hash_stand_in = '\x01';

std::string exchanged(std::string text, char from, char to) {
  for (auto& c : text) {
    if (c == from)
      c = to;
  }
  return text;
}

/// The table of keys in the library's form; families become wildcards.
const po::options_description& description() {
  static const auto made = [] {
    po::options_description result;
    for (const auto& x : spec_keys()) {
      auto name = x.section + "." + x.rule.name + (x.is_family() ? "*" : "");
      result.add_options()(name.c_str(), po::value<std::string>(), x.rule.meaning.c_str());
    }
    return result;
  }();
  return made;
}

std::string full_key(const ini_entry& x) {
  return x.section + "." + x.key;
}

/// The file's entries as a minimal INI text for the library.
std::string plain_ini(const std::vector<ini_entry>& entries) {
  std::string result;
  const std::string* section = nullptr;
  for (const auto& x : entries) {
    if (section == nullptr || *section != x.section)
      result += "[" + x.section + "]\n";
    section = &x.section;
    result += exchanged(x.key + "=" + x.text, '#', hash_stand_in) + "\n";
  }
  return result;
}

po::parsed_options parsed_file(const std::vector<ini_entry>& entries) {
  std::istringstream in{plain_ini(entries)};
  auto result = po::parse_config_file(in, description());
  for (auto& option : result.options) {
    option.string_key = exchanged(option.string_key, hash_stand_in, '#');
    for (auto& text : option.value)
      text = exchanged(text, hash_stand_in, '#');
  }
  return result;
}

po::parsed_options parsed_entries(const std::vector<ini_entry>& entries) {
  po::parsed_options result{&description()};
  for (const auto& x : entries)
    result.options.emplace_back(full_key(x), std::vector<std::string>{x.text});
  return result;
}

} // namespace

expected<std::vector<ini_entry>> merge_layers(const std::vector<ini_entry>& file,
                                              const std::vector<ini_entry>& environment,
                                              const std::vector<ini_entry>& command_line) {
  po::variables_map merged;
  try {
    // The first value stored wins.
    po::store(parsed_entries(command_line), merged);
    po::store(parsed_entries(environment), merged);
    po::store(parsed_file(file), merged);
  } catch (const po::error& why) {
    return error{ec::internal, std::string{"program_options: "} + why.what()};
  }
  std::map<std::string, const ini_entry*> winner;
  for (const auto* layer : {&command_line, &environment, &file}) {
    for (const auto& x : *layer)
      winner.try_emplace(full_key(x), &x);
  }
  std::vector<ini_entry> result;
  std::set<std::string> seen;
  for (const auto* layer : {&file, &environment, &command_line}) {
    for (const auto& x : *layer) {
      auto key = full_key(x);
      if (!seen.insert(key).second)
        continue;
      auto entry = *winner.at(key);
      entry.text = merged[key].as<std::string>();
      result.push_back(std::move(entry));
    }
  }
  return result;
}

} // namespace tune
