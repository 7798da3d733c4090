// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/exports/export_record.hpp"

#include "tune/io/sinks/builtin.hpp"
#include "tune/io/sinks/sink_feed.hpp"
#include "tune/io/store/store_reader.hpp"

#include <utility>

namespace tune {

expected<sequence> export_record(const std::filesystem::path& directory,
                                 const sink_catalogue::entry& sink,
                                 const std::map<std::string, std::string>& written,
                                 const std::function<bool(const error&)>& away,
                                 const std::string& shown) {
  auto checked = options::parse(sink.known, written);
  if (!checked)
    return checked.error();
  if (auto sound = check_options(sink, *checked); !sound)
    return sound.error();
  auto from = store_reader::open(directory);
  auto last = from ? from->last_seq() : expected<sequence>{from.error()};
  if (!last)
    return last.error();
  if (*last == 0)
    return error{ec::unreadable, "the experiment has not begun yet"};
  chosen_sink chosen;
  chosen.name = sink.name;
  chosen.context.directory = shown.empty() ? directory.string() : shown;
  chosen.context.is_export = true;
  chosen.make = [&](const sink_context& with) { return sink.make(*checked, with); };
  sink_feed feed{directory, std::move(chosen)};
  for (;;) {
    auto done = feed.catch_up(*last);
    if (done)
      return *last;
    const auto may_pass = done.error().code == ec::unreachable || done.error().code == ec::shortage;
    if (!may_pass || !away(done.error()))
      return done.error();
  }
}

} // namespace tune
