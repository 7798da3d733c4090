/// Events of each kind with every field set, and exact comparison.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

namespace tune::samples {

inline constexpr auto inf = std::numeric_limits<double>::infinity();
inline constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

inline config_ptr config(object what) {
  return std::make_shared<const object>(std::move(what));
}

/// Values that JSON tends to spoil.
inline object awkward() {
  return {{"int", 3},
          {"float", 3.0},
          {"tiny", 1e-310},
          {"minus", -0.0},
          {"nan", nan},
          {"inf", inf},
          {"text", "a\"b\\\n\xC3\xA9"},
          {"spelled", value::list{"nan", nan, "inf", -inf, "-inf", "NaN"}},
          {"zero", std::string{"x\0y", 3}},
          {"nested", object{{"deep", value::list{object{{"x", inf}}, nullptr, true}}}},
          {"empty", object{}},
          {"wide", std::numeric_limits<std::int64_t>::max()}};
}

inline std::shared_ptr<const report> a_report(std::uint64_t trial, std::uint64_t iteration,
                                              attempt_id attempt, object metrics) {
  report x;
  x.trial = {trial};
  x.attempt = attempt;
  x.number = iteration + 10;
  x.iteration = iteration;
  x.time_this_iter = std::chrono::nanoseconds{123456789};
  x.time_total = std::chrono::nanoseconds{9876543210};
  x.timestamp_ms = 1'700'000'000'123;
  x.pid = 4242;
  x.done = iteration % 2 == 1;
  x.has_checkpoint = iteration % 3 == 1;
  x.metrics = config(std::move(metrics));
  return std::make_shared<const report>(std::move(x));
}

inline std::vector<action> every_action() {
  resource_request request;
  request.bundles.push_back({amount{5000}, amount{1}, 7, {{"licence", amount{30000}}}});
  request.placement = resource_request::strategy::strict_spread;
  request.policy = placement_policy::spread;
  const object reason{{"rule", "asha"}, {"cutoff", nan}, {"name", "inf"}, {"rung", 2}};
  return {{{1}, go_on{}, {}},
          {{2}, go_on{9}, reason},
          {{3}, pause_trial{}, reason},
          {{4}, stop{}, reason},
          {{5}, allow{}, {}},
          {{6}, save{}, {}},
          {{7}, exploit{{8}, {9}, config(awkward())}, reason},
          {{9}, exploit{{8}, {9}, nullptr}, {}},
          {{10}, reconfigure{config(awkward())}, {}},
          {{11}, set_resources{request}, {}},
          {{12}, annotate{awkward()}, {}}};
}

/// Several events of each kind, including empty cases.
inline std::vector<event_body> every_kind() {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const attempt_id attempt{3, 1'000'000};
  lease granted{{17},
                {{"node-a",
                  {amount{25000}, amount{10000}, 1ull << 40, {{"custom \"x\"", amount{1}}}},
                  {{0, amount{3333}}, {1, amount{10000}}}},
                 {"node-b", {}, {}}}};
  std::vector<suggestion> two{{config(awkward()), "point 1"}, {nullptr, ""}};
  std::vector<decision> answers{{7, {{{1}, go_on{}, {}}}},
                                {8, {{{2}, go_on{12}, {}}}},
                                {9, every_action()},
                                {10, {}},
                                {11, {{{3}, go_on{}, {{"rung", 1}}}}}};
  using due = on::ticked::due;
  return {on::opened{4, "1.2.3 (abc)", R"({"experiment":{"name":"x"}})", most},
          on::opened{5, "", "", 1, opening::gathers},
          on::opened{6, "", "", 1, opening::executed},
          on::opened{7, "", "", 1, opening::at_once, 13, 1'800'000'000'000},
          on::suggest_asked{5, 16},
          on::suggest_asked{6, 1, drafting::quick},
          on::suggest_asked{7, 1, drafting::thorough, trial_id{12}},
          on::suggested{7, std::vector<suggestion>{{config({{"x", 1}}), "a model", true}}},
          on::granted{{12}, granted},
          on::suggested{6, two},
          on::suggested{7, std::vector<suggestion>{}},
          on::suggested{8, nothing_yet{}},
          on::suggested{9, exhausted{"the grid is done"}},
          on::decided{answers},
          on::decided{},
          on::chosen{{11, {{1}, {2}}}},
          on::chosen{{12, {}}},
          on::placed{{13}, attempt, granted},
          on::place_refused{{14}, "no node has 8 GPU"},
          on::started{{15}, attempt, 991},
          on::started{{15}, attempt, 991, true},
          on::reported{a_report(16, 3, attempt, awkward())},
          on::reported{std::make_shared<const report>()},
          on::saved{{17},
                    attempt,
                    {18},
                    19,
                    std::chrono::nanoseconds{20},
                    "trials/00017/1.4/checkpoint_000018",
                    most},
          on::save_failed{{20}, attempt, {21}, "disk full", 22, true},
          on::checkpoint_bad{{22}, attempt, {23}, "checksum of weights.bin"},
          on::checkpoints_doomed{{{23}, {24}}},
          on::checkpoints_doomed{},
          on::checkpoint_gone{{23}},
          on::ended{{24}, attempt, end_class::out_of_memory, "line 1\nline 2", -9},
          on::ended{{25}, attempt, end_class::finished, "", std::nullopt},
          on::ended{{25},
                    attempt,
                    end_class::finished,
                    "",
                    0,
                    true,
                    std::make_shared<const object>(object{{"cpu_s", 1.5}, {"read_bytes", 4096}})},
          on::node_up{"node-a", granted.bundles[0].what},
          on::node_up{"node-c", {}, {"disk_gb=500", "gpu_model=A100"}, {"spot"}},
          on::node_down{"node-b", "lease expired"},
          on::node_down{"node-b", "it was killed", true},
          on::node_leaving{"node-b"},
          on::stop_asked{trial_id{26}, "user"},
          on::stop_asked{std::nullopt, "all"},
          on::pause_asked{trial_id{30}},
          on::pause_asked{},
          on::unpause_asked{trial_id{31}},
          on::unpause_asked{},
          on::add_asked{"key 1", config(awkward())},
          on::add_asked{},
          on::retry_asked{{32}, config(awkward()), "point 2", true},
          on::retry_asked{{33}, nullptr, "", false},
          on::exported{{3},
                       {1, 5},
                       "trials/00003/attempt_1_5/checkpoint_000001",
                       99,
                       {{"model", "trials/00003/attempt_1_5/checkpoint_000001/model", ""},
                        {"onnx", "", "no \"such\" layer"}}},
          on::exported{},
          on::gathered{true},
          on::gathered{},
          on::interrupted{"SIGTERM"},
          on::ticked{due::time_limit, {}},
          on::ticked{due::time_limit, {}, true},
          on::ticked{due::progress_timeout, {27}},
          on::ticked{due::stop_grace, {28}},
          on::ticked{due::retry, {29}},
          on::ticked{due::draft, {30}},
          on::ticked{due::free_place, {}}};
}

inline bool same(const config_ptr& x, const config_ptr& y) {
  return x == nullptr || y == nullptr ? x == y : *x == *y;
}
inline bool same(const suggestion& x, const suggestion& y) {
  return same(x.config, y.config) && x.origin == y.origin && x.draft == y.draft;
}
inline bool same(const proposal& x, const proposal& y) {
  if (x.index() != y.index())
    return false;
  if (const auto* many = std::get_if<0>(&x))
    return std::equal(many->begin(), many->end(), std::get<0>(y).begin(), std::get<0>(y).end(),
                      [](const auto& a, const auto& b) { return same(a, b); });
  const auto* done = std::get_if<exhausted>(&x);
  return done == nullptr || done->why == std::get<exhausted>(y).why;
}
inline bool same(const report& x, const report& y) {
  auto parts = [](const report& r) {
    return std::tie(r.trial, r.attempt, r.number, r.iteration, r.time_this_iter, r.time_total,
                    r.timestamp_ms, r.pid, r.done, r.has_checkpoint);
  };
  return parts(x) == parts(y) && same(x.metrics, y.metrics);
}

inline auto parts(const on::opened& x) {
  return std::tie(x.epoch, x.build, x.spec, x.seed, x.how);
}
inline auto parts(const on::suggest_asked& x) {
  return std::tie(x.ask, x.count, x.drafts, x.trial);
}
inline auto parts(const on::decided& x) {
  return std::tie(x.answers);
}
inline auto parts(const on::chosen& x) {
  return std::tie(x.what);
}
inline auto parts(const on::placed& x) {
  return std::tie(x.trial, x.attempt, x.what);
}
inline auto parts(const on::place_refused& x) {
  return std::tie(x.trial, x.why);
}
inline auto parts(const on::started& x) {
  return std::tie(x.trial, x.attempt, x.pid, x.exports);
}
inline auto parts(const on::saved& x) {
  return std::tie(x.trial, x.attempt, x.checkpoint, x.iteration, x.time_total, x.location, x.bytes);
}
inline auto parts(const on::save_failed& x) {
  return std::tie(x.trial, x.attempt, x.checkpoint, x.why, x.iteration, x.unable);
}
inline auto parts(const on::checkpoint_bad& x) {
  return std::tie(x.trial, x.attempt, x.checkpoint, x.why);
}
inline auto parts(const on::checkpoints_doomed& x) {
  return std::tie(x.which);
}
inline auto parts(const on::checkpoint_gone& x) {
  return std::tie(x.checkpoint);
}
inline auto parts(const on::ended& x) {
  return std::tie(x.trial, x.attempt, x.how, x.detail, x.exit_status, x.came_late);
}
inline auto parts(const on::node_up& x) {
  return std::tie(x.node, x.capacity);
}
inline auto parts(const on::node_down& x) {
  return std::tie(x.node, x.why, x.is_lost);
}
inline auto parts(const on::granted& x) {
  return std::tie(x.trial, x.what);
}
inline auto parts(const on::node_leaving& x) {
  return std::tie(x.node);
}
inline auto parts(const on::stop_asked& x) {
  return std::tie(x.trial, x.why);
}
inline auto parts(const on::interrupted& x) {
  return std::tie(x.why);
}
inline auto parts(const on::pause_asked& x) {
  return std::tie(x.trial);
}
inline auto parts(const on::unpause_asked& x) {
  return std::tie(x.trial);
}
inline auto parts(const on::gathered& x) {
  return std::tie(x.only);
}
inline bool same_body(const on::exported& x, const on::exported& y) {
  auto equal = [](const exported_format& a, const exported_format& b) {
    return std::tie(a.format, a.path, a.why) == std::tie(b.format, b.path, b.why);
  };
  return std::tie(x.trial, x.attempt, x.location, x.bytes)
             == std::tie(y.trial, y.attempt, y.location, y.bytes)
         && std::equal(x.formats.begin(), x.formats.end(), y.formats.begin(), y.formats.end(),
                       equal);
}
inline auto parts(const on::ticked& x) {
  return std::tie(x.what, x.trial, x.is_queued);
}

template <class T>
bool same_body(const T& x, const T& y) {
  return parts(x) == parts(y);
}
inline bool same_body(const on::suggested& x, const on::suggested& y) {
  return x.ask == y.ask && same(x.what, y.what);
}
inline bool same_body(const on::reported& x, const on::reported& y) {
  return x.what == nullptr || y.what == nullptr ? x.what == y.what : same(*x.what, *y.what);
}

inline bool same_body(const on::add_asked& x, const on::add_asked& y) {
  return x.key == y.key && same(x.config, y.config);
}
inline bool same_body(const on::retry_asked& x, const on::retry_asked& y) {
  return x.trial == y.trial && same(x.config, y.config) && x.origin == y.origin
         && x.from_scratch == y.from_scratch;
}

/// Exact equality of every field.
inline bool same(const event_body& x, const event_body& y) {
  return std::visit(
      [&](const auto& body) {
        const auto* other = std::get_if<std::decay_t<decltype(body)>>(&y);
        return other != nullptr && same_body(body, *other);
      },
      x);
}
inline bool same(const event& x, const event& y) {
  return x.seq == y.seq && x.at == y.at && same(x.what, y.what);
}

} // namespace tune::samples
