/// What workers are given of an experiment, and what they make of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/job.hpp"
#include "tune/core/error.hpp"
#include "tune/io/files/reading_rules.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/net/job_lookup.hpp"

namespace tune {

/// What the package server gives out: the configuration, the files of `[trainable] files`, and
/// those that the configuration names itself, a table or paths of the command. They may lie beside
/// or above the INI's directory: the record's `ini_dir` is then the way from their common parent to
/// it. The job's name is made of the experiment's and a hash over all of it.
/// @param goes_on Asked while the files are read; null: nobody is.
/// @errors as `collect_files`, naming the key; `ec::bad_option` also where they are larger than
///   `[trainable] max_files_size`, or the configuration than `max_record_bytes`; `ec::refused`
///   where it was not to go on.
[[nodiscard]] expected<job_offer> shipment_of(const loaded_spec& from,
                                              const reading_watch& goes_on = {});

/// The configuration of what was fetched, with its directory on this machine. Nothing of it was
/// checked. @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`.
[[nodiscard]] expected<spec> spec_of_fetched(const fetched_job& found);

/// The experiment as this machine works for it.
/// @param id        What launches call it.
/// @param directory The experiment's, absolute.
/// @errors what only shows once it is made: a table that cannot be read, a wrong command.
[[nodiscard]] expected<job> make_job(const loaded_spec& from, std::string id,
                                     const std::filesystem::path& directory);

/// Makes, on a worker, the job of what was fetched. Its trials live beside its files.
[[nodiscard]] job_maker worker_job_maker();

} // namespace tune
