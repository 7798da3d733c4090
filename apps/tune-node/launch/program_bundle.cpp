// SPDX-License-Identifier: BSD-3-Clause
#include "launch/program_bundle.hpp"

#include "client/archive_writer.hpp"

#include "tune/io/files/sha256.hpp"
#include "tune/io/process/piped_program.hpp"

#include <archive_entry.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece_size = 256 * 1024;

extern "C" int note_library(dl_phdr_info* what, std::size_t, void* to) {
  // The program itself has no name, and what the kernel provides has no path.
  if (what->dlpi_name != nullptr && what->dlpi_name[0] == '/')
    static_cast<std::vector<fs::path>*>(to)->emplace_back(what->dlpi_name);
  return 0;
}

std::vector<fs::path> loaded_libraries() {
  std::vector<fs::path> result;
  ::dl_iterate_phdr(note_library, &result);
  std::sort(result.begin(), result.end());
  return result;
}

bool write_part(archive_writer& to, const std::string& name, const fs::path& file,
                std::uint64_t size) {
  struct freeing {
    void operator()(::archive_entry* x) const { ::archive_entry_free(x); }
  };
  const std::unique_ptr<::archive_entry, freeing> entry{::archive_entry_new()};
  ::archive_entry_set_pathname(entry.get(), name.c_str());
  ::archive_entry_set_filetype(entry.get(), AE_IFREG);
  ::archive_entry_set_perm(entry.get(), 0755);
  ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
  if (!to.begin(entry.get()))
    return false;
  std::ifstream in{file, std::ios::binary};
  std::vector<char> piece(piece_size);
  for (std::uint64_t left = size; left > 0;) {
    in.read(piece.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(left, piece_size)));
    const auto count = static_cast<std::size_t>(in.gcount());
    if (count == 0 || !to.write({piece.data(), count}))
      return false;
    left -= count;
  }
  return to.end();
}

} // namespace

bool is_of_c_library(const std::string& file_name) {
  constexpr std::array<std::string_view, 10> names{
      "libc.so",       "libm.so",      "libmvec.so", "libdl.so", "librt.so",
      "libpthread.so", "libresolv.so", "libutil.so", "ld-linux", "libnss_"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view x) { return file_name.starts_with(x); });
}

expected<program_bundle> program_bundle::of_this_program() {
  program_bundle result;
  result.parts_.push_back({"bin/tune-node", own_program()});
  for (const auto& file : loaded_libraries()) {
    const auto name = file.filename().string();
    if (!is_of_c_library(name))
      result.parts_.push_back({"lib/tune-node/" + name, file});
  }
  // The data of the example trainable, which it looks for there.
  const auto data = own_program().parent_path() / "../share/tune/digits.csv";
  if (std::error_code failed; fs::is_regular_file(data, failed))
    result.parts_.push_back({"share/tune/digits.csv", data});
  sha256 all;
  for (auto& x : result.parts_) {
    auto digest = digest_file(x.file);
    if (!digest)
      return digest.error();
    x.size = digest->size;
    result.bytes_ += digest->size;
    all.update(x.name + " " + digest->hash + "\n");
  }
  result.hash_ = all.finish();
  return result;
}

expected<fs::path> program_bundle::archive(const fs::path& below) {
  std::lock_guard guard{*mutex_};
  if (!written_)
    written_.emplace(write(below));
  return *written_;
}

expected<fs::path> program_bundle::write(const fs::path& below) const {
  const auto path = below / "program.tar";
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  const byte_taker take = [&out](std::string_view bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return out.good();
  };
  archive_writer to{take};
  for (const auto& x : parts_) {
    if (!write_part(to, x.name, x.file, x.size))
      return error{ec::storage,
                   "cannot pack " + x.file.string() + " into " + path.string() + ": " + to.why()};
  }
  if (!to.close() || !out.flush())
    return error{ec::storage, "cannot write " + path.string()};
  return path;
}

} // namespace tune::cli
