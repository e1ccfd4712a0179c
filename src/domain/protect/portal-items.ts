import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { oneLine } from '../../model/text/plain-text';
import { countOf, countWords } from '../../model/text/words';
import type { Portal } from '../../portal/client';
import { SEARCH_RESULTS_MAX } from '../../portal/http/limits';
import type { CallOptions } from '../../portal/http/request';
import type { Item } from '../../portal/resources/items/item';
import { searchPages, withinPortal } from '../../portal/resources/listings';
import { readUsernames } from '../../portal/resources/users';
import { itemTypes } from '../transfer/classify-item';

/** Searches at a time. */
const SEARCHES_AT_A_TIME = 4;
/** Rounds in which types are looked for that are in no table. */
const ROUNDS_MAX = 50;
/** Terms that a query may have; search engines refuse more than 1,024. */
const TERMS_MAX = 1_000;

type ListedItem = Pick<Item, 'id' | 'title' | 'type' | 'typeKeywords' | 'url' | 'owner' | 'size'>;

/** The items of a portal, and why they may not be all of them. */
export interface PortalItems {
  readonly items: ReadonlyMap<string, ListedItem>;
  readonly problems: readonly string[];
}

/**
 * Every item of a portal, each once. A search shows at most 10,000 results: a larger portal is read owner by owner, and an
 * owner of more by type. Throws what the first search throws.
 */
export async function listPortalItems(
  portal: Portal,
  portalId: string | undefined,
  options?: CallOptions,
): Promise<PortalItems> {
  const listing = new Listing(portal, portalId, options);
  await listing.read();
  return listing;
}

/** How a search ended: with its last result, or before. */
type End = 'all' | 'cut' | PortolanError;

class Listing implements PortalItems {
  readonly items = new Map<string, ListedItem>();
  readonly problems: string[] = [];

  constructor(
    private readonly portal: Portal,
    private readonly portalId: string | undefined,
    private readonly options?: CallOptions,
  ) {}

  async read(): Promise<void> {
    const { end, total } = await this.search('*');
    if (end instanceof PortolanError && this.items.size === 0) throw end;
    if (end !== 'all') await this.readOthers(await this.readByOwner());
    // Some portals count no further than they show.
    if (total !== undefined && total !== SEARCH_RESULTS_MAX && this.items.size !== total)
      this.problems.push(
        `the portal counts ${countWords(total)} items, but ${countWords(this.items.size)} were listed`,
      );
  }

  /** @returns the members who have items */
  private async readByOwner(): Promise<string[]> {
    const having: string[] = [];
    const owners = await readUsernames(this.portal, this.portalId ?? 'self', this.options);
    await mapLimited(owners, SEARCHES_AT_A_TIME, async (owner) => {
      const ofOwner = term('owner', owner);
      const { end, results } = await this.search(ofOwner);
      if (end !== 'all' || results > 0) having.push(owner);
      if (end === 'cut') await this.readByType(owner, ofOwner);
      else if (end !== 'all')
        this.problems.push(`items of ${oneLine(owner)} cannot be listed: ${end.plainMessage}`);
    });
    return having;
  }

  /** Looks for items of owners who are in no list of members: a count that ends at 10,000 does not show them missing. */
  private async readOthers(members: readonly string[]): Promise<void> {
    const uncounted = 'items of owners who are not in the list of members';
    if (members.length > TERMS_MAX) {
      this.problems.push(
        `${uncounted} cannot be searched: ${countWords(members.length)} members have items, and a search excludes at most ${countWords(TERMS_MAX)}`,
      );
      return;
    }
    const { end, results } = await this.search(
      ['*', ...members.map((each) => `NOT ${term('owner', each)}`)].join(' AND '),
    );
    if (end instanceof PortolanError)
      this.problems.push(`${uncounted} cannot be listed: ${end.plainMessage}`);
    else if (end === 'cut') this.problems.push(`${uncounted} are more than a search shows`);
    else if (results > 0)
      this.problems.push(`${countOf(results, 'item')} of owners who are not in the list of members`);
  }

  private async readByType(owner: string, ofOwner: string): Promise<void> {
    const known = new Set<string>();
    let types = Object.keys(itemTypes);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      for (const type of types) {
        const { end } = await this.search(`${ofOwner} AND ${term('type', type)}`);
        if (end !== 'all')
          this.problems.push(
            end === 'cut'
              ? `${oneLine(owner)} has more than ${countWords(SEARCH_RESULTS_MAX)} items of type ${oneLine(type)}, and a search ends there`
              : `items of ${oneLine(owner)} cannot be listed: ${end.plainMessage}`,
          );
        known.add(type);
      }
      const others = [...known].map((type) => `NOT ${term('type', type)}`);
      const { end, seen } = await this.search([ofOwner, ...others].join(' AND '));
      if (end === 'all') return;
      types = end === 'cut' ? [...new Set(seen)].filter((type) => !known.has(type)) : [];
      if (types.length === 0) break;
    }
    this.problems.push(`the other items of ${oneLine(owner)} cannot be listed`);
  }

  /** Reads a search to its end, or to where it becomes clear that there is more than it shows. */
  private async search(
    query: string,
  ): Promise<{ end: End; total?: number; results: number; seen: string[] }> {
    const seen: string[] = [];
    let [total, results]: [number | undefined, number] = [undefined, 0];
    try {
      for await (const page of searchPages(this.portal, withinPortal(query, this.portalId), this.options)) {
        total ??= page.total;
        results += page.items.length;
        for (const { id, title, type, typeKeywords, url, owner, size } of page.items) {
          if (type) seen.push(type);
          this.items.set(id, { id, title, type, typeKeywords, url, owner, size });
        }
        if ((total ?? results) >= SEARCH_RESULTS_MAX) return { end: 'cut', total, results, seen };
      }
      return { end: 'all', total, results, seen };
    } catch (thrown) {
      const error = PortolanError.from(thrown);
      if (error.code === 'ABORTED') throw error;
      return { end: error, total, results, seen };
    }
  }
}

const term = (field: string, value: string): string => `${field}:"${value.replaceAll('"', '')}"`;
