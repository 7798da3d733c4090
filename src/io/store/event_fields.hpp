/// Lists the fields of all structures in events, for both directions of the codec.
///
/// If a structure and its list differ in their number of fields, the code does not compile.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"
#include "tune/io/json.hpp"

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tune::store {

/// A member and its name in JSON.
template <class T, class M>
struct field {
  std::string_view name;
  M T::*member;
  /// For objects: whether the texts "nan", "inf" and "-inf" mean numbers.
  json_position where = json_position::plain;
  /// True for a field that is omitted when 0, false or null, because records of earlier versions
  /// lack it.
  bool may_lack = false;
};

template <class T, class M>
field(std::string_view, M T::*) -> field<T, M>;
template <class T, class M>
field(std::string_view, M T::*, json_position) -> field<T, M>;
template <class T, class M>
field(std::string_view, M T::*, json_position, bool) -> field<T, M>;

template <class T>
struct of {};

/// Converts to the type of any member, to initialise it.
struct anything {
  template <class T>
  operator T() const;
};

/// The number of members of an aggregate.
template <class T, class... Found>
constexpr std::size_t arity() {
  if constexpr (requires { T{Found{}..., anything{}}; })
    return arity<T, Found..., anything>();
  else
    return sizeof...(Found);
}

constexpr auto fields(of<on::opened>) {
  using x = on::opened;
  return std::tuple{field{"epoch", &x::epoch},
                    field{"build", &x::build},
                    field{"spec", &x::spec},
                    field{"seed", &x::seed},
                    field{"how", &x::how},
                    field{"draws", &x::draws, json_position::plain, true},
                    field{"wall_ms", &x::wall_ms, json_position::plain, true}};
}
constexpr auto fields(of<on::suggest_asked>) {
  using x = on::suggest_asked;
  return std::tuple{field{"ask", &x::ask}, field{"count", &x::count},
                    field{"drafts", &x::drafts, json_position::plain, true},
                    field{"trial", &x::trial, json_position::plain, true}};
}
constexpr auto fields(of<on::suggested>) {
  using x = on::suggested;
  return std::tuple{field{"ask", &x::ask}, field{"what", &x::what}};
}
constexpr auto fields(of<on::decided>) {
  return std::tuple{field{"answers", &on::decided::answers}};
}
constexpr auto fields(of<on::chosen>) {
  return std::tuple{field{"what", &on::chosen::what}};
}
constexpr auto fields(of<on::placed>) {
  using x = on::placed;
  return std::tuple{field{"trial", &x::trial}, field{"attempt", &x::attempt},
                    field{"lease", &x::what}};
}
constexpr auto fields(of<on::granted>) {
  return std::tuple{field{"trial", &on::granted::trial}, field{"lease", &on::granted::what}};
}
constexpr auto fields(of<on::place_refused>) {
  using x = on::place_refused;
  return std::tuple{field{"trial", &x::trial}, field{"why", &x::why}};
}
constexpr auto fields(of<on::started>) {
  using x = on::started;
  return std::tuple{field{"trial", &x::trial}, field{"attempt", &x::attempt}, field{"pid", &x::pid},
                    field{"exports", &x::exports, json_position::plain, true}};
}
constexpr auto fields(of<on::saved>) {
  using x = on::saved;
  return std::tuple{field{"trial", &x::trial},
                    field{"attempt", &x::attempt},
                    field{"checkpoint", &x::checkpoint},
                    field{"iteration", &x::iteration},
                    field{"time_total_ns", &x::time_total},
                    field{"location", &x::location},
                    field{"bytes", &x::bytes}};
}
constexpr auto fields(of<on::save_failed>) {
  using x = on::save_failed;
  return std::tuple{field{"trial", &x::trial},
                    field{"attempt", &x::attempt},
                    field{"checkpoint", &x::checkpoint},
                    field{"why", &x::why},
                    field{"training_iteration", &x::iteration, json_position::plain, true},
                    field{"unable", &x::unable, json_position::plain, true}};
}
constexpr auto fields(of<on::checkpoint_bad>) {
  using x = on::checkpoint_bad;
  return std::tuple{field{"trial", &x::trial}, field{"attempt", &x::attempt},
                    field{"checkpoint", &x::checkpoint}, field{"why", &x::why}};
}
constexpr auto fields(of<on::checkpoints_doomed>) {
  return std::tuple{field{"which", &on::checkpoints_doomed::which}};
}
constexpr auto fields(of<on::checkpoint_gone>) {
  return std::tuple{field{"checkpoint", &on::checkpoint_gone::checkpoint}};
}
constexpr auto fields(of<on::exported>) {
  using x = on::exported;
  return std::tuple{field{"trial", &x::trial}, field{"attempt", &x::attempt},
                    field{"location", &x::location}, field{"bytes", &x::bytes},
                    field{"formats", &x::formats}};
}
constexpr auto fields(of<exported_format>) {
  using x = exported_format;
  return std::tuple{field{"format", &x::format}, field{"path", &x::path}, field{"why", &x::why}};
}
constexpr auto fields(of<on::ended>) {
  using x = on::ended;
  return std::tuple{field{"trial", &x::trial},
                    field{"attempt", &x::attempt},
                    field{"how", &x::how},
                    field{"detail", &x::detail},
                    field{"exit_status", &x::exit_status},
                    field{"came_late", &x::came_late, json_position::plain, true},
                    field{"costs", &x::costs, json_position::plain, true}};
}
constexpr auto fields(of<on::node_up>) {
  using x = on::node_up;
  return std::tuple{field{"node", &x::node}, field{"capacity", &x::capacity},
                    field{"labels", &x::labels}, field{"taints", &x::taints}};
}
constexpr auto fields(of<on::node_down>) {
  using x = on::node_down;
  return std::tuple{field{"node", &x::node}, field{"why", &x::why},
                    field{"is_lost", &x::is_lost, json_position::plain, true}};
}
constexpr auto fields(of<on::node_leaving>) {
  return std::tuple{field{"node", &on::node_leaving::node}};
}
constexpr auto fields(of<on::stop_asked>) {
  using x = on::stop_asked;
  return std::tuple{field{"trial", &x::trial}, field{"why", &x::why}};
}
constexpr auto fields(of<on::pause_asked>) {
  return std::tuple{field{"trial", &on::pause_asked::trial}};
}
constexpr auto fields(of<on::unpause_asked>) {
  return std::tuple{field{"trial", &on::unpause_asked::trial}};
}
constexpr auto fields(of<on::add_asked>) {
  return std::tuple{field{"key", &on::add_asked::key}, field{"config", &on::add_asked::config}};
}
constexpr auto fields(of<on::retry_asked>) {
  using x = on::retry_asked;
  return std::tuple{field{"trial", &x::trial}, field{"config", &x::config},
                    field{"origin", &x::origin}, field{"from_scratch", &x::from_scratch}};
}
constexpr auto fields(of<on::gathered>) {
  return std::tuple{field{"only", &on::gathered::only}};
}
constexpr auto fields(of<on::interrupted>) {
  return std::tuple{field{"why", &on::interrupted::why}};
}
constexpr auto fields(of<on::ticked>) {
  using x = on::ticked;
  return std::tuple{field{"what", &x::what}, field{"trial", &x::trial},
                    field{"is_queued", &x::is_queued, json_position::plain, true}};
}

constexpr auto fields(of<report>) {
  using x = report;
  return std::tuple{field{"trial", &x::trial},
                    field{"attempt", &x::attempt},
                    field{"number", &x::number},
                    field{"training_iteration", &x::iteration},
                    field{"time_this_iter_ns", &x::time_this_iter},
                    field{"time_total_ns", &x::time_total},
                    field{"timestamp_ms", &x::timestamp_ms},
                    field{"pid", &x::pid},
                    field{"done", &x::done},
                    field{"has_checkpoint", &x::has_checkpoint, json_position::plain, true},
                    field{"metrics", &x::metrics, json_position::metric}};
}
constexpr auto fields(of<suggestion>) {
  using x = suggestion;
  return std::tuple{field{"config", &x::config}, field{"origin", &x::origin},
                    field{"draft", &x::draft, json_position::plain, true}};
}
constexpr auto fields(of<nothing_yet>) {
  return std::tuple{};
}
constexpr auto fields(of<exhausted>) {
  return std::tuple{field{"why", &exhausted::why}};
}
constexpr auto fields(of<choice>) {
  return std::tuple{field{"at", &choice::at}, field{"start", &choice::start}};
}
constexpr auto fields(of<decision>) {
  return std::tuple{field{"cause", &decision::cause}, field{"actions", &decision::actions}};
}
constexpr auto fields(of<action>) {
  using x = action;
  return std::tuple{field{"trial", &x::trial}, field{"what", &x::what},
                    field{"reason", &x::reason, json_position::metric}};
}
constexpr auto fields(of<go_on>) {
  return std::tuple{field{"until", &go_on::until}};
}
constexpr auto fields(of<pause_trial>) {
  return std::tuple{};
}
constexpr auto fields(of<stop>) {
  return std::tuple{field{"completes", &stop::completes, json_position::plain, true}};
}
constexpr auto fields(of<allow>) {
  return std::tuple{};
}
constexpr auto fields(of<save>) {
  return std::tuple{};
}
constexpr auto fields(of<exploit>) {
  using x = exploit;
  return std::tuple{field{"donor", &x::donor}, field{"from", &x::from},
                    field{"config", &x::config}};
}
constexpr auto fields(of<reconfigure>) {
  return std::tuple{field{"config", &reconfigure::config}};
}
constexpr auto fields(of<set_resources>) {
  return std::tuple{field{"request", &set_resources::request}};
}
constexpr auto fields(of<annotate>) {
  return std::tuple{field{"notes", &annotate::notes, json_position::metric}};
}
constexpr auto fields(of<lease>) {
  return std::tuple{field{"id", &lease::id}, field{"bundles", &lease::bundles}};
}
constexpr auto fields(of<bundle_grant>) {
  using x = bundle_grant;
  return std::tuple{field{"node", &x::node}, field{"what", &x::what}, field{"gpus", &x::gpus}};
}
constexpr auto fields(of<gpu_share>) {
  return std::tuple{field{"device", &gpu_share::device}, field{"share", &gpu_share::share}};
}
constexpr auto fields(of<resources>) {
  using x = resources;
  return std::tuple{field{"cpu", &x::cpu}, field{"gpu", &x::gpu}, field{"memory", &x::memory},
                    field{"custom", &x::custom}};
}
constexpr auto fields(of<resource_request>) {
  using x = resource_request;
  return std::tuple{field{"bundles", &x::bundles}, field{"placement", &x::placement},
                    field{"policy", &x::policy}};
}

/// True for structures that are written as objects of their fields.
template <class T>
concept has_fields = requires {
  fields(of<T>{});
};

/// The fields of `T`; does not compile unless all of its members are among them.
template <has_fields T>
constexpr auto all_fields() {
  constexpr auto list = fields(of<T>{});
  static_assert(std::tuple_size_v<std::remove_const_t<decltype(list)>> == arity<T>(),
                "a member is missing from the codec");
  return list;
}

} // namespace tune::store
