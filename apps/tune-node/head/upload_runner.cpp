// SPDX-License-Identifier: BSD-3-Clause
#include "head/upload_runner.hpp"

#include "head/uploaded_files.hpp"
#include "run/numbered_name.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/io/spec/words.hpp"
#include "tune/net/head_client.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/shipment.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view upload_prefix = "upload-";

/// A directory of its own that is removed in the end.
class upload_place {
public:
  static expected<upload_place> make(const fs::path& in) {
    auto name = (in / (std::string{upload_prefix} + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
      return error{ec::storage, in.string() + ": " + std::strerror(errno)};
    return upload_place{name};
  }
  upload_place(upload_place&& x) noexcept : path_{std::exchange(x.path_, {})} {}
  upload_place& operator=(upload_place&&) = delete;
  ~upload_place() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

private:
  fs::path path_;
  explicit upload_place(fs::path path) : path_{std::move(path)} {}
};

/// A text without the directory on this machine, which its client does not know.
std::string without_place(std::string text, const fs::path& place) {
  for (const auto& part : {place.string() + "/", place.string()})
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at))
      text.erase(at, part.size());
  return text;
}

bool lies_in(const fs::path& what, const fs::path& place) {
  const auto way = what.lexically_normal().lexically_relative(place.lexically_normal());
  return !way.empty() && *way.begin() != "..";
}

/// Checks that nothing is sent along that was not uploaded.
expected<void> check_files(const job_offer& what, const fs::path& place) {
  if (what.manifest.files.empty() || lies_in(what.root, place))
    return {};
  return error{ec::bad_option, "[trainable]: it names files that lie outside the archive, by paths"
                               " that are absolute or lead out by .."};
}

/// Checks a path that a key names: it is read where the head runs.
expected<void> check_path(const char* key, const std::string& path) {
  const fs::path given{path};
  const auto leads_out = std::find(given.begin(), given.end(), "..") != given.end();
  if (!given.is_absolute() && !leads_out)
    return {};
  return error{ec::bad_option, std::string{"[search] "} + key + " = " + path
                                   + ": has to lie in the archive: neither absolute nor with .."};
}

expected<void> check_sources(const search_section& what) {
  if (auto fits = check_path("points_from", what.points_from); !fits)
    return fits;
  auto words = split_words(what.learn_from);
  if (!words)
    return words.error();
  for (const auto& each : *words) {
    if (auto fits = check_path("learn_from", each.text); !fits)
      return fits;
  }
  return {};
}

/// @param numbered Whether the head is to give it a name with a number.
submission_message words_of(const upload& what, const loaded_spec& loaded, const std::string& job,
                            bool numbered) {
  submission_message result;
  result.numbered = numbered;
  result.experiment = loaded.what.experiment.name;
  result.job = job;
  result.from = "the HTTP API";
  result.resume = what.resume;
  result.usual_searcher = has_usual_searcher(loaded);
  if (result.usual_searcher)
    result.search_options = written_search_options(loaded);
  if (loaded.origins.contains("cluster.queue_trials"))
    result.queue_trials = loaded.what.cluster.queue_trials;
  return result;
}

} // namespace

upload_runner::upload_runner(parts with) : with_{std::move(with)} {
  std::error_code failed;
  for (const auto& x : fs::directory_iterator{with_.work, failed})
    if (x.path().filename().string().starts_with(upload_prefix)) {
      std::error_code ignored;
      fs::remove_all(x.path(), ignored);
    }
}

expected<upload_taken> upload_runner::submit(const upload& what) {
  const std::unique_lock works{works_, std::try_to_lock};
  if (!works.owns_lock())
    return error{ec::shortage, "another experiment is being submitted: try again"};
  auto place = upload_place::make(with_.work);
  if (!place)
    return place.error();
  auto result = submit_from(what, place->path());
  if (!result)
    return error{result.error().code, without_place(result.error().detail, place->path())};
  for (auto& x : result->warnings)
    x = without_place(std::move(x), place->path());
  return result;
}

expected<upload_taken> upload_runner::submit_from(const upload& what, const fs::path& place) {
  auto files = files_in_archive(what.archive);
  if (!files)
    return files.error();
  auto ini = ini_file_in(*files, what.file);
  if (!ini)
    return ini.error();
  if (auto written = write_files(*files, place); !written)
    return written.error();
  files->clear();
  auto read = load_spec(place / *ini, request_for(with_.all));
  if (!read)
    return error{ec::bad_option, to_text(read.faults)};
  auto& loaded = *read.loaded;
  const auto numbered = loaded.what.experiment.name == automatic_name;
  if (numbered)
    loaded.what.experiment.name = fs::path{*ini}.stem().string();
  if (auto fits = check_sources(loaded.what.search); !fits)
    return fits.error();
  loaded.what.code = code_of(loaded);
  upload_taken result;
  result.warnings = std::move(read.warnings);
  if (auto found = look_elsewhere(loaded, place, result.warnings); !found && !what.resume)
    return found.error();
  auto shipment = shipment_of(loaded);
  if (!shipment)
    return shipment.error();
  if (auto fits = check_files(*shipment, place); !fits)
    return fits.error();
  auto client = head_client::at_home(with_.system, with_.head);
  const auto words = words_of(what, loaded, shipment->job, numbered);
  auto taken = client->submit(words, std::move(*shipment));
  if (!taken)
    return taken.error();
  result.experiment = taken->experiment.empty() ? loaded.what.experiment.name : taken->experiment;
  result.planned = taken->planned.value_or(0);
  return result;
}

} // namespace tune::cli
