/** Rows of a long list by their place, though the server hands them out page by page. Pure. */

/**
 * @template Row
 *
 * @callback Fetch
 * @param {string | null} cursor
 * @param {number} many rows
 * @param {boolean} isLeap only where the next page begins is wanted of it
 * @returns {Promise<{rows: Row[], next: string | null, total: number}>}
 */

/** Pages that are leapt over at once on the way to a far one. */
const leap = 5;

/**
 * @template Row
 */
export class Pager {
  /**
   * @param {Fetch<Row>} fetch
   * @param {number} size rows of a page, which the server keeps to but for the last
   * @param {number} most pages that are kept
   */
  constructor(fetch, size, most = 40) {
    this.fetch = fetch;
    this.size = size;
    this.most = most;
    /** Where pages begin, as far as it is known. @type {Map<number, string | null>} */
    this.cursors = new Map([[0, null]]);
    /** @type {Map<number, Row[]>} */
    this.pages = new Map();
    this.total = 0;
    /** @type {Map<number, Promise<void>>} */
    this.asked = new Map();
  }

  /** @param {number} place @returns {Row | undefined} undefined: not fetched yet */
  row(place) {
    const page = this.pages.get(Math.floor(place / this.size));
    return page && page[place % this.size];
  }

  /** Fetches what `from` to `to` (not with it) needs. @param {number} from @param {number} to */
  async need(from, to) {
    const last = Math.floor(Math.max(from, Math.min(to, this.total || to) - 1) / this.size);
    for (let page = Math.floor(from / this.size); page <= last; page += 1) {
      if (!this.pages.has(page)) await this.load(page);
    }
  }

  /** @param {number} page @returns {Promise<void>} */
  load(page) {
    const known = this.asked.get(page);
    if (known) return known;
    const work = this.walk(page).finally(() => this.asked.delete(page));
    this.asked.set(page, work);
    return work;
  }

  /** The last page not behind this one of which it is known where it begins. @param {number} page @returns {number} */
  known(page) {
    let at = page;
    while (!this.cursors.has(at)) at -= 1;
    return at;
  }

  /** Cursors lead from page to page, so the first way to a far one leaps over those before it. @param {number} page */
  async walk(page) {
    for (let at = this.known(page); at < page;) {
      const by = Math.min(leap, page - at);
      const found = await this.fetch(this.cursors.get(at) ?? null, by * this.size, true);
      this.total = found.total;
      if (found.next === null) return;
      at += by;
      this.cursors.set(at, found.next);
    }
    await this.take(page);
  }

  /** @param {number} page */
  async take(page) {
    const found = await this.fetch(this.cursors.get(page) ?? null, this.size, false);
    this.total = found.total;
    this.pages.delete(page);
    this.pages.set(page, found.rows);
    if (found.next !== null) this.cursors.set(page + 1, found.next);
    for (const old of this.pages.keys()) {
      if (this.pages.size <= this.most) break;
      if (old !== page) this.pages.delete(old);
    }
  }

  /** Fetches the pages again that hold `from` to `to`, and forgets all others. @param {number} from @param {number} to */
  async renew(from, to) {
    const first = Math.floor(from / this.size);
    const last = Math.floor(Math.max(from, to - 1) / this.size);
    for (const page of [...this.pages.keys()])
      if (page < first || page > last) this.pages.delete(page);
    for (let page = first; page <= last && this.cursors.has(page); page += 1) await this.take(page);
  }
}

/**
 * Which rows to draw.
 *
 * @param {number} top how far it is scrolled @param {number} height of what is seen
 * @param {number} row height of one @param {number} total rows @param {number} [more] drawn around
 * @returns {[number, number]} from, and to (not with it)
 */
export function windowOf(top, height, row, total, more = 8) {
  const from = Math.max(0, Math.min(total, Math.floor(top / row)) - more);
  return [from, Math.min(total, Math.ceil((top + height) / row) + more)];
}
