// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/params_file.hpp"

#include "../store/exact_json.hpp"

#include "tune/io/process/shortage.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace tune {

namespace fs = std::filesystem;

namespace {

fs::path places_beside(const fs::path& file) {
  return file.parent_path() / ("." + file.filename().string() + ".places");
}

expected<void> write(const fs::path& file, const std::string& text) {
  // A stream does not say why it failed; the call that failed last does.
  errno = 0;
  std::ofstream out{file, std::ios::binary | std::ios::trunc};
  out << text << '\n';
  out.close();
  if (out)
    return {};
  const auto reason = errno;
  return error{fault_of(reason, ec::storage),
               "cannot write " + file.string()
                   + (reason != 0 ? ": " + text_of_shortage(reason) : std::string{})};
}

expected<std::string> whole_text(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (!in)
    return error{ec::unreadable, "cannot read the parameters in '" + file.string() + "'"};
  return text;
}

error named(const fs::path& file, const error& why) {
  return {why.code, file.string() + ": " + why.detail};
}

} // namespace

expected<void> write_params(const fs::path& file, const object& config, bool exact) {
  std::string places;
  if (exact)
    store::append_exceptions(places, config, json_position::plain);
  const auto beside = places_beside(file);
  // An earlier attempt may have had others.
  std::error_code ignored;
  fs::remove(beside, ignored);
  if (!places.empty()) {
    if (auto done = write(beside, places); !done)
      return done;
  }
  return write(file, to_json(config));
}

expected<object> read_params(const fs::path& file) {
  auto text = whole_text(file);
  if (!text)
    return text.error();
  auto result = object_from_json(*text);
  if (!result)
    return named(file, result.error());
  const auto beside = places_beside(file);
  std::error_code ignored;
  if (!fs::exists(beside, ignored))
    return result;
  auto listed = whole_text(beside);
  if (!listed)
    return listed.error();
  auto places = from_json(*listed);
  if (!places)
    return named(beside, places.error());
  return store::restored(std::move(*result), json_position::plain, *places);
}

} // namespace tune
