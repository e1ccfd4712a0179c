import { fetchPackage } from '../src/activities/transfer/downloads';
import { mapLimited } from '../src/model/map-limited';
import {
  addPart,
  commit,
  type PackageItem,
  readItemStatus,
  startMultipart,
} from '../src/portal/resources/items/add-item';
import { Portal } from '../src/portal/client';
import { readItem } from '../src/portal/resources/items/items';
import { readSelf } from '../src/portal/resources/portals';
import { PARTS_AT_A_TIME, partsOf } from '../src/portal/resources/items/upload';
import { releaseOf } from '../src/portal/http/versions';
import { LocalStore } from '../src/store/local/local-store';
// What a worker has loaded: how large the heap is decides how often it is looked through.
import '../src/temporal/worker';
import { serve } from './child';

/** Where a transfer goes from or to, and the key of its file in the store. */
export interface Transfer {
  readonly store: string;
  readonly key: string;
  readonly portal: { readonly url: string; readonly username: string; readonly password: string };
}

/** Transfers as the activities of a run make them, in a process whose memory is then theirs alone. */
const transfers = {
  /** Loads and signs in, so that what follows is the transfer's own. */
  warmUp: async ({ portal }: Transfer): Promise<void> => {
    await readSelf(open(portal));
  },

  /** @returns time until the package is in the store, hashed and flushed. @format milliseconds */
  download: async ({
    store,
    key,
    portal,
    itemId,
  }: Transfer & { readonly itemId: string }): Promise<{ ms: number; sha256: string }> => {
    const started = performance.now();
    const { size } = await readItem(open(portal), itemId);
    const partial = await new LocalStore(store).openPartial(key);
    const { sha256 } = await fetchPackage(open(portal), partial, {
      itemId,
      declared: size,
      atMost: Number.POSITIVE_INFINITY,
      signal: new AbortController().signal,
      onBytes: () => {},
    });
    await partial.commit();
    return { ms: performance.now() - started, sha256 };
  },

  /** @returns time until the portal has every part and has been told so. @format milliseconds */
  upload: async ({ store, key, portal }: Transfer): Promise<{ ms: number; itemId: string }> => {
    const client = open(portal);
    const { username } = portal;
    const version = releaseOf(await readSelf(client));
    const file = await new LocalStore(store).openFile(key);
    if (!file) throw new Error(`${key} is not in the store`);
    const item: PackageItem = { username, title: 'bench', tags: ['epk'], filename: 'bench.epk', version };
    const started = performance.now();
    const { id: itemId } = await startMultipart(client, item);
    await mapLimited(partsOf(file.size), PARTS_AT_A_TIME, (part) =>
      addPart(client, { username, itemId, file, ...part }),
    );
    await commit(client, { ...item, itemId });
    const ms = performance.now() - started;
    // The portal joins the parts on its own time; the next transfer is not to suffer from it.
    while ((await readItemStatus(client, { username, itemId })).phase !== 'completed') await pause();
    return { ms, itemId };
  },
};
export type TransferProcess = typeof transfers;

const clients = new Map<string, Portal>();
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

function open({ url, username, password }: Transfer['portal']): Portal {
  const known = clients.get(url);
  if (known) return known;
  const auth = { type: 'password', username, secret: () => Promise.resolve(password) } as const;
  const portal = new Portal({ name: 'simulated', url, auth });
  clients.set(url, portal);
  return portal;
}

serve(transfers);
