// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/outside_check.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/table/curve_table.hpp"
#include "tune/net/transport.hpp"
#include "tune/tuner/earlier.hpp"
#include "tune/tuner/log_place.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/shipment.hpp"

#include <unistd.h>

#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Collects faults with the places where they were written.
class outside_check {
public:
  outside_check(const loaded_spec& what, fs::path caller, std::vector<std::string>& notes)
      : what_{what}, caller_{std::move(caller)}, notes_{notes} {}

  std::vector<config_fault> run() {
    note("experiment", "storage", why_no_place());
    note("trainable", "path", why_no_table());
    if (auto found = points_from(what_, caller_, notes_); !found)
      note("search", "points_from", found.error().detail);
    if (auto found = earlier_from(what_, caller_, notes_); !found)
      note("search", "learn_from", found.error().detail);
    note("log", "file", why_no_log());
    if (!what_.what.cluster.listen.empty())
      look_at_port();
    return std::move(found_);
  }

private:
  const loaded_spec& what_;
  fs::path caller_;
  std::vector<std::string>& notes_;
  std::vector<config_fault> found_;

  /// @param why With or without the section in front; empty: no fault.
  void note(const std::string& section, const std::string& key, std::string why) {
    if (why.empty())
      return;
    if (const auto mark = "[" + section + "] "; why.starts_with(mark))
      why.erase(0, mark.size());
    if (!why.starts_with(key))
      why = key + ": " + why;
    auto origin = what_.origins.find(section + "." + key);
    found_.push_back({origin == what_.origins.end() ? config_origin{} : origin->second, section,
                      key, std::move(why)});
  }

  [[nodiscard]] fs::path directory() const { return experiment_directory(what_.what, caller_); }

  /// Why nothing can be created at `place`, which need not exist yet; empty: something can.
  [[nodiscard]] static std::string why_not_made(fs::path place) {
    std::error_code why;
    while (!fs::exists(fs::symlink_status(place, why)) && place.has_relative_path())
      place = place.parent_path();
    if (!fs::is_directory(place, why))
      return place.string() + " is no directory";
    if (::access(place.c_str(), W_OK | X_OK) != 0)
      return place.string() + " cannot be written to";
    return {};
  }

  [[nodiscard]] std::string why_no_place() const {
    auto why = why_not_made(fs::absolute(directory()).lexically_normal());
    return why.empty() ? why : "storage = " + what_.what.experiment.storage + ": " + why;
  }

  [[nodiscard]] std::string why_no_table() const {
    if (what_.what.trainable.kind != trainable_kind::table)
      return {};
    auto table = curve_table::load(against_ini(what_.what, what_.what.trainable.path),
                                   what_.space ? parameter_names(*what_.space)
                                               : std::vector<std::string>{});
    return table ? std::string{} : table.error().detail;
  }

  [[nodiscard]] std::string why_no_log() const {
    const auto& name = what_.what.log.file;
    if (name.empty())
      return {};
    if (auto apart = check_log_file(directory(), name); !apart)
      return apart.error().detail;
    const auto file = fs::absolute(directory() / name).lexically_normal();
    std::error_code why;
    const auto before = "file = " + name + ": " + file.string();
    if (fs::is_directory(file, why))
      return before + " is a directory";
    if (fs::exists(file, why))
      return ::access(file.c_str(), W_OK) == 0 ? std::string{} : before + " cannot be written to";
    auto above = why_not_made(file.parent_path());
    return above.empty() ? above : before + " cannot be made: " + above;
  }

  /// Checks that apply only where workers may join.
  void look_at_port() {
    const auto& cluster = what_.what.cluster;
    auto where = peer_address_from(cluster.listen);
    if (!where)
      return note("cluster", "listen", where.error().detail);
    if (auto how = choose_transport(*where, cluster.certs, cluster.insecure_plaintext); !how)
      note("cluster", cluster.certs.empty() ? "listen" : "certs", how.error().detail);
    // Only the names matter, so reading stops at the first file.
    auto is_found = false;
    auto shipped = shipment_of(what_, [&](const reading_progress&) {
      is_found = true;
      return false;
    });
    if (!shipped && !is_found)
      note("trainable", "files", shipped.error().detail);
  }
};

} // namespace

std::vector<config_fault> faults_outside(const loaded_spec& what, const fs::path& caller,
                                         std::vector<std::string>& notes) {
  return outside_check{what, caller, notes}.run();
}

} // namespace tune
