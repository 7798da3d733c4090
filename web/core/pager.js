/** Rows of a long list by their place, though the server hands them out page by page. Pure. */

/**
 * @template Row
 */
export class Pager {
  /**
   * @param {(cursor: string | null) => Promise<{rows: Row[], next: string | null, total: number}>} fetch
   * @param {number} size rows of a page, which the server keeps to but for the last
   * @param {number} most pages that are kept
   */
  constructor(fetch, size, most = 40) {
    this.fetch = fetch;
    this.size = size;
    this.most = most;
    /** Where each page begins: known one after the other. @type {Array<string | null>} */
    this.cursors = [null];
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

  /** Cursors lead from page to page, so the first way to a far one passes those before it. @param {number} page */
  async walk(page) {
    while (this.cursors.length <= page) {
      const before = this.cursors.length - 1;
      if (!(await this.take(before))) return;
    }
    await this.take(page);
  }

  /** @param {number} page @returns {Promise<boolean>} whether there is one after it */
  async take(page) {
    const found = await this.fetch(this.cursors[page]);
    this.total = found.total;
    this.pages.delete(page);
    this.pages.set(page, found.rows);
    if (found.next !== null && this.cursors.length === page + 1) this.cursors.push(found.next);
    for (const old of this.pages.keys()) {
      if (this.pages.size <= this.most) break;
      if (old !== page) this.pages.delete(old);
    }
    return found.next !== null;
  }

  /** Fetches the pages again that hold `from` to `to`, and forgets all others. @param {number} from @param {number} to */
  async renew(from, to) {
    const first = Math.floor(from / this.size);
    const last = Math.floor(Math.max(from, to - 1) / this.size);
    for (const page of [...this.pages.keys()]) if (page < first || page > last) this.pages.delete(page);
    for (let page = first; page <= last && page < this.cursors.length; page += 1) await this.take(page);
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
