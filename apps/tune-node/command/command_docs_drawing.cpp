// The entries of those who show experiments.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/at_head.hpp"
#include "command/command_options.hpp"
#include "command/option_values.hpp"
#include "tune/http/host_guard.hpp"

namespace tune::cli {

namespace {

/// Names by which a server may be asked.
expected<words> hosts_from(const std::string& text) {
  auto result = comma_parts(text);
  for (const auto& name : result) {
    if (!tune::http::is_host_text(name))
      return error{ec::bad_option, in_single_quotes(name) + " is no host, nor HOST:PORT"};
  }
  return result;
}

} // namespace

bound_options<serve_request> options_of_serve() {
  return within(
      &serve_request::http,
      bound_options<http_request>{
          bound({"http",
                 0,
                 "HOST:PORT",
                 "where; port 0: any that is free",
                 {},
                 "127.0.0.1:7780, or near"},
                &http_request::where, peer_address_from),
          bound({"certs",
                 0,
                 "DIR",
                 "certificate directory for TLS; off loopback there is always TLS",
                 {},
                 default_certs,
                 argument_kind::directory},
                &http_request::certs),
          bound({"token-file",
                 0,
                 "FILE",
                 "where the token is; made if missing, mode 0600",
                 {},
                 "tune-node/http-token in $XDG_STATE_HOME or ~/.local/state",
                 argument_kind::path},
                &http_request::token_file),
          bound({"new-token", 0, "", "make a new token: all links given so far are worth nothing"},
                &http_request::new_token),
          bound({"allow-host", 0, "NAME,...", "further names by which browsers reach this server"},
                &http_request::names, hosts_from)});
}

command_doc serve_doc() {
  command_doc result{
      "serve",
      "show and steer experiments in a browser",
      {{"tune-node serve", "all experiments below results; prints a link"},
       {"tune-node serve results/digits-mlp", "this one"},
       {"tune-node serve --http 0.0.0.0:7780 --allow-host lab", "for others, by TLS"}},
      {{"DIR", {}, argument_kind::directory, false}},
      docs_of(options_of_serve())};
  result.family = drawing;
  return result;
}

bound_options<report_request> options_of_report() {
  return {bound({"output",
                 'o',
                 "FILE",
                 "the page, which needs no other file; -: stdout",
                 {},
                 "the experiment's name, .html",
                 argument_kind::path},
                &report_request::file)};
}

command_doc report_doc() {
  command_doc result{
      "report",
      "write what an experiment found as one page, to keep and to hand on",
      {{"tune-node report results/digits-mlp", "into digits-mlp.html: words, tables, charts"},
       {"tune-node report results/digits results/digits-2 -o both.html", "two side by side"}},
      {{"DIR", {}, argument_kind::directory, true, true}},
      docs_of(options_of_report())};
  result.family = drawing;
  return result;
}

const std::vector<std::string_view>& chart_axes() {
  static const std::vector<std::string_view> all{"iteration", "time", "trial", "cost"};
  return all;
}

bound_options<plot_words> options_of_plot() {
  auto of_plot
      = [](const bound_options<plot_request>& all) { return within(&plot_words::plot, all); };
  auto of_wish = [&](const bound_options<chart_wish>& all) {
    return of_plot(within(&plot_request::wish, all));
  };
  return joined<plot_words>(
      {of_plot({bound({"metric", 0, "NAME", "which metric", {}, "the first objective"},
                      &plot_request::metric)}),
       of_wish({bound_choice(
           {"x", 0, "AXIS",
            "what lies across: of history trial or time, of curves iteration, time or cost",
            chart_axes()},
           &chart_wish::across, 1)}),
       {bound({"log",
               0,
               "",
               "logarithms upwards; of one axis or both",
               {"x", "y", "xy"},
               "",
               argument_kind::text,
               false,
               "AXES"},
              &plot_words::log)},
       of_wish({bound({"parameter", 0, "NAME", "of slice: the parameter", {}, "the first"},
                      &chart_wish::parameter)}),
       {bound(
            {"trials", 0, "N", "of curves: how many of the best", {}, "30", argument_kind::number},
            &plot_words::trials),
        bound({"width",
               0,
               "N",
               "columns; of an SVG pixels",
               {},
               "the terminal's; 900",
               argument_kind::number},
              &plot_words::width),
        bound({"height", 0, "N", "lines; of an SVG pixels", {}, "20; 480", argument_kind::number},
              &plot_words::height)},
       of_plot(
           {bound({"ascii", 0, "", "no other characters than ASCII's"}, &plot_request::is_ascii),
            bound({"output",
                   'o',
                   "FILE",
                   "an SVG in the place of characters; -: stdout",
                   {},
                   "",
                   argument_kind::path},
                  &plot_request::file)})});
}

command_doc plot_doc() {
  command_doc result{
      "plot",
      "draw a chart of an experiment in the terminal, or as SVG",
      {{"tune-node plot results/digits-mlp", "the best so far, over trials"},
       {"tune-node plot results/digits-mlp curves --x time --log", "learning curves"},
       {"tune-node plot results/digits-mlp rungs -o rungs.svg", "who was cut where, as a picture"}},
      {directory_argument(),
       {"KIND",
        {"history", "curves", "importance", "parallel", "slice", "pareto", "rungs", "timeline"},
        argument_kind::text,
        false}},
      docs_of(options_of_plot())};
  result.family = drawing;
  return result;
}

command_doc top_doc() {
  command_doc result{
      "top",
      "follow an experiment over the whole terminal, and steer it",
      {{"tune-node top results/digits-mlp", "trials, curves, logs; ? lists the keys"},
       {"tune-node top digits-mlp --head head:7700", "an experiment at a head"}},
      {{"DIR", {}, argument_kind::directory, false}},
      docs_of(reaching_options<top_request>())};
  result.family = drawing;
  return result;
}

} // namespace tune::cli
