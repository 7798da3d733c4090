/// Everything workers are given of an experiment, and how they make a job of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/job.hpp"
#include "tune/core/error.hpp"
#include "tune/io/files/reading_rules.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/net/job_lookup.hpp"

namespace tune {

/// Content of the package server: the configuration, the files of `[trainable] files`, and files
/// that the configuration names itself, such as a table or paths of the command. They may lie
/// beside or above the INI's directory: the record's `ini_dir` is then the path from their common
/// parent to it. The job's id is made of the experiment's name and a hash of all of it.
/// @param goes_on Asked while the files are read; null: not asked.
/// @errors as `collect_files`, naming the key; `ec::bad_option` also if the files are larger than
///         `[trainable] max_files_size`, or the configuration than `max_record_bytes`;
///         `ec::refused` if `goes_on` said no.
[[nodiscard]] expected<job_offer> shipment_of(const loaded_spec& from,
                                              const reading_watch& goes_on = {});

/// The configuration of a fetched job, with its directory on this machine. Nothing in it has been
/// checked. @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`.
[[nodiscard]] expected<spec> spec_of_fetched(const fetched_job& found);

/// The experiment as a job of this machine.
/// @param id        Its id in launch orders.
/// @param directory The experiment's, absolute.
/// @errors faults that only show when the job is made: a table that cannot be read, a wrong
///         command.
[[nodiscard]] expected<job> make_job(const loaded_spec& from, std::string id,
                                     const std::filesystem::path& directory);

/// Makes, on a worker, the job from the fetched files. Its trials live beside these files.
[[nodiscard]] job_maker worker_job_maker();

} // namespace tune
