import { PortolanError } from '../../../model/errors/errors';
import type { Portal } from '../../client';
import type { CallOptions } from '../../http/request';
import { groupContentPages } from '../groups';
import { type ItemGroups, readItemGroups } from './items';

/** In which groups an item is. */
interface FoundGroups {
  /** The item's own list; absent if the portal does not give it. */
  readonly own?: ItemGroups;
  /** Ids of groups by the item's own list, and by listings that have it; sorted. */
  readonly ids: readonly string[];
  /** Ids of the groups in question of which neither the own list nor the listing could be read. */
  readonly unknown: readonly string[];
}

/**
 * Finds the groups of items. An item's own list may lack a group whose listing has the item, and may be refused, so
 * the listings of the groups in question count as well. Each is read once, and only if an own list lacks its group.
 * docs/reference/portal-interface.md, "Sharing"
 */
export class GroupsOfItems {
  readonly #listings = new Map<string, Promise<ReadonlySet<string> | undefined>>();

  /** @param leave throws what must not pass for a list that the portal does not give */
  constructor(
    private readonly portal: Portal,
    private readonly options?: CallOptions,
    private readonly leave: (thrown: unknown) => void = throwUnlessPermanent,
  ) {}

  /** @param inQuestion ids of groups that may have the item */
  async find(itemId: string, inQuestion: readonly string[]): Promise<FoundGroups> {
    const own = await this.#unlessRefused(() => readItemGroups(this.portal, itemId, this.options));
    const ids = new Set(own && idsOf(own));
    const unknown: string[] = [];
    for (const groupId of inQuestion) {
      if (ids.has(groupId)) continue;
      const isListed = await this.isListed(groupId, itemId);
      if (isListed) ids.add(groupId);
      else if (!own && isListed === undefined) unknown.push(groupId);
    }
    return { own, ids: [...ids].sort(), unknown };
  }

  /** Whether the listing of a group has an item; undefined if it cannot be read. */
  async isListed(groupId: string, itemId: string): Promise<boolean | undefined> {
    return (await this.#listing(groupId))?.has(itemId);
  }

  #listing(groupId: string): Promise<ReadonlySet<string> | undefined> {
    const known = this.#listings.get(groupId);
    if (known) return known;
    const listing = this.#unlessRefused(() => this.#itemsIn(groupId));
    this.#listings.set(groupId, listing);
    // A repeat reads it again.
    listing.catch(() => this.#listings.delete(groupId));
    return listing;
  }

  async #unlessRefused<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (thrown) {
      this.leave(thrown);
      return undefined;
    }
  }

  async #itemsIn(groupId: string): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for await (const page of groupContentPages(this.portal, groupId, this.options))
      for (const { id } of page) ids.add(id);
    return ids;
  }
}

/** IDs of the groups that an item names. */
export const idsOf = ({ admin, member, other }: ItemGroups): string[] =>
  [...admin, ...member, ...other].map(({ id }) => id);

function throwUnlessPermanent(thrown: unknown): void {
  const { code, meaning } = PortolanError.from(thrown);
  if (meaning.kind !== 'permanent' || code === 'ABORTED') throw thrown;
}
