import { PortolanError } from '../../../model/errors/errors';
import type { SnapshotRow } from '../../../model/snapshot/snapshot';
import type { Portal } from '../../../portal/client';
import { GroupsOfItems } from '../../../portal/resources/items/item-groups';
import { dataAnswers } from '../../../portal/resources/items/items';
import type { CallOptions } from '../../../portal/http/request';
import { type Retry, retrier } from '../retry';
import { type Lookup, lookupOn, type Presence } from '../references/lookup';
import type { Item } from '../../../portal/resources/items/item';
import type { PortalFacts } from '../portal-facts';
import { PlaceReader } from '../places';
import type { RouteAddresses } from '../references/portal-addresses';
import type { MappedTargets } from '../references/reference-mapper';

/** Where imported items come from, as far as the checks of them ask: a portal, or what a snapshot remembers of one. */
interface Origin {
  /** For people. */
  readonly name: string;
  readonly has: Lookup;
  /** Bytes of an item's data; undefined where that is not told. Throws what the portal answers. */
  dataSize(itemId: string): Promise<number | undefined>;
}

/** The portal itself: at most four requests at a time. */
export function originOn(portal: Portal, options?: CallOptions): Origin {
  const retry = retrier(options?.signal);
  return {
    name: portal.name,
    has: lookupOn(portal, retry, new Set(), options),
    dataSize: async (itemId) => (await retry(() => dataAnswers(portal, itemId, options))).sizeSeen,
  };
}

/** What a snapshot says of its group; it knows of nothing else, and says so. */
export function recordedOrigin(name: string, rows: readonly SnapshotRow[]): Origin {
  const items = new Map(rows.map((row) => [row.itemId.toLowerCase(), row]));
  const unknown = (what: string): Promise<Presence> =>
    Promise.reject(new PortolanError('NOT_SUPPORTED', `${name} does not show ${what} outside its group`));
  return {
    name,
    has: {
      item: (itemId) => {
        const row = items.get(itemId.toLowerCase());
        return row ? Promise.resolve({ state: 'there', title: row.title, type: row.type }) : unknown('items');
      },
      group: () => unknown('groups'),
      service: () => unknown('services'),
    },
    dataSize: (itemId) => {
      const size = items.get(itemId.toLowerCase())?.size;
      return Promise.resolve(size !== undefined && size >= 0 ? size : undefined);
    },
  };
}

/** What is read of a row of the listing. */
type ListedItem = Pick<Item, 'ownerFolder'>;

/** What is verified, and how the portals are known. */
interface VerifyOptions {
  readonly origin: Origin;
  readonly target: Portal;
  readonly targetGroupId: string;
  /** The signed-in account. @default sees what any member sees */
  readonly account?: Partial<Pick<PortalFacts, 'username' | 'fullAdmin'>>;
  /** The target group's listing by item id, read once after the import. */
  readonly listed: ReadonlyMap<string, ListedItem>;
  readonly addresses: RouteAddresses;
  /** Item ids of the source's hosted services by `serviceKey` of their address. @default none is known */
  readonly sourceServices?: ReadonlyMap<string, string>;
  /** Where the map of a stage leads. @default nowhere */
  readonly mapped?: MappedTargets;
  readonly options?: CallOptions;
}

/** What the check of one item shares with that of the others: limits and answers once given. */
export interface VerifyContext extends VerifyOptions {
  readonly places: PlaceReader;
  readonly retryOnTarget: Retry;
  readonly onTarget: Lookup;
}

/** Opens a verification: at most four requests at a time to each portal, over all of its items. */
export function openVerification(verify: VerifyOptions): VerifyContext {
  const { target, listed, account = {}, options } = verify;
  const retryOnTarget = retrier(options?.signal);
  return {
    ...verify,
    places: new PlaceReader(target, new GroupsOfItems(target, options), account, options),
    retryOnTarget,
    onTarget: lookupOn(target, retryOnTarget, new Set(listed.keys()), options),
  };
}
