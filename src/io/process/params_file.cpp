// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/params_file.hpp"

#include "store/exact_json.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <limits>
#include <optional>
#include <string>

namespace tune {

namespace fs = std::filesystem;

namespace {

std::string places_beside(const fs::path& file) {
  return "." + file.filename().string() + ".places";
}

error not_read(const fs::path& file, const std::string& why) {
  return {ec::unreadable, "cannot read the parameters in '" + file.string() + "': " + why};
}

/// Empty if the file does not exist.
expected<std::optional<std::string>> whole_text(const guarded_directory& where,
                                                const std::string& name) {
  auto text = where.text(name, std::numeric_limits<std::size_t>::max());
  if (!text)
    return not_read(where.path() / name, text.error().detail);
  return text;
}

error named(const fs::path& file, const error& why) {
  return {why.code, file.string() + ": " + why.detail};
}

} // namespace

expected<std::string> write_params(const fs::path& file, const object& config, bool exact) {
  std::string places;
  if (exact)
    store::append_exceptions(places, config, json_position::plain);
  auto where = guarded_directory::holding(file);
  if (!where)
    return where.error();
  const auto beside = places_beside(file);
  // An earlier attempt may have left another list.
  if (auto gone = where->remove(beside); !gone)
    return gone.error();
  if (!places.empty()) {
    if (auto done = where->replace(beside, places + '\n', beside + ".new"); !done)
      return done;
  }
  // The trial files sink replaces this file, too, by way of another temporary name.
  const auto name = file.filename().string();
  auto done = where->replace(name, to_json(config) + '\n', "." + name + ".new");
  return done && !done->empty() ? replaced_text(file, *done) : done;
}

expected<object> read_params(const fs::path& file) {
  auto where = guarded_directory::holding(file);
  if (!where)
    return not_read(file, where.error().detail);
  auto text = whole_text(*where, file.filename());
  if (!text)
    return text.error();
  if (!*text)
    return not_read(file, "it is not there");
  auto result = object_from_json(**text);
  if (!result)
    return named(file, result.error());
  const auto beside = places_beside(file);
  auto listed = whole_text(*where, beside);
  if (!listed)
    return listed.error();
  if (!*listed)
    return result;
  auto places = from_json(**listed);
  if (!places)
    return named(where->path() / beside, places.error());
  return store::restored(std::move(*result), json_position::plain, *places);
}

} // namespace tune
