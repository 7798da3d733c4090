// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/file_manifest.hpp"

#include "manifest_order.hpp"

#include "tune/core/resource/resources.hpp"
#include "tune/io/files/reading_rules.hpp"
#include "tune/io/files/sha256.hpp"

#include <algorithm>
#include <cerrno>
#include <fnmatch.h>
#include <map>
#include <sys/stat.h>
#include <system_error>

namespace tune {

namespace fs = std::filesystem;

namespace {

struct in_path_order {
  bool operator()(const std::string& a, const std::string& b) const {
    return files::path_before(a, b);
  }
};

/// Searches the root for one pattern after another.
class finder {
public:
  explicit finder(fs::path root) : root_{std::move(root)} {}

  expected<void> find(const named_pattern& what);
  /// Hashes the files found.
  expected<file_manifest> digest(const reading_rules& how) const;

private:
  /// A file that was found, with its status.
  struct known_file {
    const std::string* path;
    const std::string* name;
    std::uint32_t mode;
    std::uint64_t size;
  };

  fs::path root_; // canonical
  /// Paths below the root, and the name of the first pattern that found them.
  std::map<std::string, std::string, in_path_order> found_;
  std::string pattern_;
  std::string name_;
  std::vector<std::string> parts_;
  std::size_t matches_ = 0;

  error fault(ec code, const std::string& why) const { return {code, name_ + ": " + why}; }
  fs::path real(const std::string& path) const { return path.empty() ? root_ : root_ / path; }
  static std::string joined(const std::string& directory, const std::string& name) {
    return directory.empty() ? name : directory + '/' + name;
  }

  expected<void> split();
  expected<std::vector<std::string>> names_in(const std::string& directory) const;
  expected<std::vector<std::string>> candidates(const std::string& directory,
                                                const std::string& part) const;
  expected<void> descend(const std::string& directory, std::size_t part);
  expected<bool> may_enter(const std::string& path) const;
  expected<void> take(const std::string& path);
  expected<void> take_directory(const std::string& path);
  expected<void> check_link(const std::string& path) const;
  expected<void> add(const std::string& path);
  expected<std::vector<known_file>> survey() const;
  static std::uint64_t sum(std::span<const known_file> files);
  expected<void> check_sizes(std::span<const known_file> files, const reading_rules& how) const;
  expected<file_digest> read(const known_file& what, const reading_rules& how, std::uint64_t& done,
                             std::uint64_t all) const;
};

/// Splits the pattern at its slashes.
expected<void> finder::split() {
  parts_.clear();
  if (pattern_.empty())
    return fault(ec::bad_option, "the pattern is empty");
  if (pattern_.front() == '/')
    return fault(ec::bad_option, "must stand below " + root_.string() + ", not be absolute");
  for (std::size_t begin = 0; begin <= pattern_.size();) {
    const auto end = std::min(pattern_.find('/', begin), pattern_.size());
    auto part = pattern_.substr(begin, end - begin);
    if (part == "..")
      return fault(ec::bad_option, "\"..\" leads out of " + root_.string());
    if (!part.empty() && part != ".")
      parts_.push_back(std::move(part));
    begin = end + 1;
  }
  return {};
}

expected<std::vector<std::string>> finder::names_in(const std::string& directory) const {
  std::error_code why;
  std::vector<std::string> result;
  fs::directory_iterator i{real(directory), why};
  for (; !why && i != fs::end(i); i.increment(why))
    result.push_back(i->path().filename().string());
  if (why)
    return fault(ec::unreadable, "cannot read " + real(directory).string() + ": " + why.message());
  std::sort(result.begin(), result.end());
  return result;
}

/// The entries of a directory that match one part of the pattern.
expected<std::vector<std::string>> finder::candidates(const std::string& directory,
                                                      const std::string& part) const {
  if (part.find_first_of("*?[\\") == std::string::npos) {
    std::error_code ignored;
    const bool there = fs::exists(fs::symlink_status(real(joined(directory, part)), ignored));
    return there ? std::vector{part} : std::vector<std::string>{};
  }
  auto names = names_in(directory);
  if (names)
    std::erase_if(*names, [&](const std::string& name) {
      return ::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) != 0;
    });
  return names;
}

expected<bool> finder::may_enter(const std::string& path) const {
  std::error_code ignored;
  if (!fs::is_directory(real(path), ignored))
    return false;
  if (fs::is_symlink(real(path), ignored))
    return fault(ec::bad_option,
                 real(path).string() + " is a link to a directory; name the directory itself");
  return true;
}

expected<void> finder::descend(const std::string& directory, std::size_t part) {
  if (part == parts_.size())
    return take(directory);
  auto names = candidates(directory, parts_[part]);
  if (!names)
    return names.error();
  for (const auto& name : *names) {
    const auto path = joined(directory, name);
    if (part + 1 < parts_.size()) {
      auto enter = may_enter(path);
      if (!enter)
        return enter.error();
      if (!*enter)
        continue;
    }
    if (auto done = descend(path, part + 1); !done)
      return done;
  }
  return {};
}

expected<void> finder::take(const std::string& path) {
  std::error_code why;
  switch (fs::symlink_status(real(path), why).type()) {
    case fs::file_type::directory:
      return take_directory(path);
    case fs::file_type::symlink:
      if (auto good = check_link(path); !good)
        return good;
      return add(path);
    case fs::file_type::regular:
      return add(path);
    case fs::file_type::not_found:
      return {};
    default:
      if (why)
        return fault(ec::unreadable, real(path).string() + ": " + why.message());
      return fault(ec::bad_option, real(path).string() + " is neither a file nor a directory");
  }
}

expected<void> finder::take_directory(const std::string& path) {
  auto names = names_in(path);
  if (!names)
    return names.error();
  for (const auto& name : *names) {
    if (name.front() == '.')
      continue;
    if (auto done = take(joined(path, name)); !done)
      return done;
  }
  return {};
}

expected<void> finder::check_link(const std::string& path) const {
  std::error_code why;
  const auto target = fs::canonical(real(path), why);
  if (why)
    return fault(ec::bad_option, real(path).string() + " is a link to nothing");
  if (!fs::is_regular_file(target, why))
    return fault(ec::bad_option, real(path).string() + " is a link, but not to a file");
  const auto way = target.lexically_relative(root_);
  if (way.empty() || *way.begin() == "..")
    return fault(ec::bad_option, real(path).string() + " is a link that leads out of "
                                     + root_.string() + ", to " + target.string()
                                     + "; name that file, or put a copy there");
  return {};
}

expected<void> finder::add(const std::string& path) {
  ++matches_;
  if (auto why = files::path_fault(path); !why.empty())
    return fault(ec::bad_option, "\"" + path + "\": " + why);
  found_.emplace(path, name_);
  if (found_.size() > max_shipped_files)
    return fault(ec::bad_option,
                 "there are more than " + std::to_string(max_shipped_files) + " files");
  return {};
}

expected<void> finder::find(const named_pattern& what) {
  pattern_ = what.pattern;
  name_ = what.name;
  matches_ = 0;
  if (auto good = split(); !good)
    return good;
  if (auto done = descend({}, 0); !done)
    return done;
  if (matches_ == 0)
    return fault(ec::bad_option, "matches no file in " + root_.string());
  return {};
}

expected<std::vector<finder::known_file>> finder::survey() const {
  std::vector<known_file> result;
  for (const auto& [path, name] : found_) {
    struct stat about = {};
    if (::stat(real(path).c_str(), &about) != 0)
      return error{ec::unreadable, name + ": cannot read " + real(path).string() + ": "
                                       + std::generic_category().message(errno)};
    const auto size = static_cast<std::uint64_t>(std::max<::off_t>(about.st_size, 0));
    if (size > max_file_bytes)
      return error{ec::bad_option, name + ": " + real(path).string() + " is too large"};
    result.push_back({&path, &name, about.st_mode & 0111U, size});
  }
  return result;
}

std::uint64_t finder::sum(std::span<const known_file> files) {
  std::uint64_t result = 0;
  for (const auto& x : files)
    result += x.size;
  return result;
}

/// The error names the largest file, since that is the one to check.
expected<void> finder::check_sizes(std::span<const known_file> files,
                                   const reading_rules& how) const {
  const auto all = sum(files);
  if (how.most == 0 || all <= how.most)
    return {};
  const auto& largest
      = *std::max_element(files.begin(), files.end(),
                          [](const known_file& x, const known_file& y) { return x.size < y.size; });
  auto text
      = *largest.name + ": " + real(*largest.path).string() + " has " + bytes_text(largest.size);
  if (files.size() > 1)
    text += ", and all " + std::to_string(files.size()) + " files together " + bytes_text(all);
  // Avoids the useless text "10 GiB, more than 10 GiB".
  const bool is_close = bytes_text(all) == bytes_text(how.most);
  const auto over = is_close ? std::to_string(all - how.most) + " bytes more" : "more";
  return error{ec::bad_option, text + ", " + over + " than " + bytes_text(how.most) + ", which is "
                                   + how.key + ": raise it (0 = no limit), or keep large data "
                                   + "where all machines find it"};
}

expected<file_digest> finder::read(const known_file& what, const reading_rules& how,
                                   std::uint64_t& done, std::uint64_t all) const {
  const auto path = real(*what.path);
  const auto most = how.most == 0 ? max_file_bytes : how.most - std::min(done, how.most);
  auto digest = finish(digesting(path, most, &done), [&] {
    return !how.goes_on || how.goes_on({path, done, std::max(done, all)});
  });
  if (!digest)
    return error{ec::refused, "the reading of " + path.string() + " was interrupted"};
  if (!*digest && digest->error().code == ec::refused)
    return error{ec::bad_option, *what.name + ": " + digest->error().detail
                                     + ", beyond what is left of " + how.key};
  if (!*digest)
    return error{digest->error().code, *what.name + ": " + digest->error().detail};
  return std::move(*digest);
}

expected<file_manifest> finder::digest(const reading_rules& how) const {
  auto files = survey();
  if (!files)
    return files.error();
  if (auto fits = check_sizes(*files, how); !fits)
    return fits.error();
  file_manifest result;
  const auto all = sum(*files);
  std::uint64_t done = 0;
  for (const auto& x : *files) {
    auto digest = read(x, how, done, all);
    if (!digest)
      return digest.error();
    result.files.push_back({*x.path, x.mode, digest->size, std::move(digest->hash)});
  }
  if (to_json(result).size() > max_manifest_bytes)
    return fault(ec::bad_option, "the list of all files has more than "
                                     + std::to_string(max_manifest_bytes) + " bytes");
  return result;
}

} // namespace

expected<file_manifest> make_manifest(const fs::path& root, std::span<const std::string> patterns) {
  std::vector<named_pattern> named;
  for (const auto& pattern : patterns)
    named.push_back({pattern, "files: \"" + pattern + '"'});
  return make_manifest(root, named);
}

expected<file_manifest> make_manifest(const fs::path& root,
                                      std::span<const named_pattern> patterns) {
  return make_manifest(root, patterns, reading_rules{});
}

expected<file_manifest> make_manifest(const fs::path& root, std::span<const named_pattern> patterns,
                                      const reading_rules& how) {
  std::error_code why;
  auto real_root = fs::canonical(root, why);
  if (why)
    return error{ec::unreadable, "files: cannot read " + root.string() + ": " + why.message()};
  finder all{std::move(real_root)};
  for (const auto& pattern : patterns) {
    if (auto done = all.find(pattern); !done)
      return done.error();
  }
  return all.digest(how);
}

std::string literal_pattern(std::string_view path) {
  std::string result;
  for (auto c : path) {
    if (std::string_view{"*?[]\\"}.find(c) != std::string_view::npos)
      result += '\\';
    result += c;
  }
  return result;
}

} // namespace tune
