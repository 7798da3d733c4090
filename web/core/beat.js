/** When pages fetch again. Pure. */

/**
 * The wait until a page may fetch again. All pages of a server fetch in the same beat of its clock,
 * so that it works once for all of them.
 *
 * @param {number} every the beat [ms]
 * @param {number} since the last fetch [ms]
 * @param {number} clock the server's [ms]; NaN: not known
 * @returns {number} [ms]
 */
export function untilNext(every, since, clock) {
  if (!Number.isFinite(clock)) return Math.max(0, every - since);
  const inBeat = ((clock % every) + every) % every;
  return since > inBeat ? 0 : every - inBeat;
}
