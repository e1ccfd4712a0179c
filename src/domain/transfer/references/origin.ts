import { PortolanError } from '../../../model/errors/errors';
import type { SnapshotRow } from '../../../model/snapshot/snapshot';
import type { Portal } from '../../../portal/client';
import { dataAnswers } from '../../../portal/resources/items/items';
import type { CallOptions } from '../../../portal/http/request';
import { asker } from '../retry';
import { type Lookup, lookupOn, type Presence } from './lookup';

/** Where imported items come from, as far as the checks of them ask: a portal, or what a snapshot remembers of one. */
export interface Origin {
  /** For people. */
  readonly name: string;
  readonly has: Lookup;
  /** Bytes of an item's data; undefined where that is not told. Throws what the portal answers. */
  dataSize(itemId: string): Promise<number | undefined>;
}

/** The portal itself: at most four requests at a time. */
export function originOn(portal: Portal, options?: CallOptions): Origin {
  const ask = asker(options?.signal);
  return {
    name: portal.name,
    has: lookupOn(portal, ask, new Set(), options),
    dataSize: async (itemId) => (await ask(() => dataAnswers(portal, itemId, options))).sizeSeen,
  };
}

/** What a snapshot says of its group; it knows of nothing else, and says so. */
export function recordedOrigin(name: string, rows: readonly SnapshotRow[]): Origin {
  const items = new Map(rows.map((row) => [row.itemId.toLowerCase(), row]));
  const unknown = (what: string): Promise<Presence> =>
    Promise.reject(new PortolanError('NOT_SUPPORTED', `${name} does not tell of ${what} outside its group`));
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
