import { Relay } from '../src/activities/transfer/relay';
import { fetchPackage } from '../src/activities/transfer/downloads';
import { mapLimited } from '../src/model/map-limited';
import {
  addPart,
  commit,
  listParts,
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
import type { StoredFile } from '../src/store/store';
import '../src/temporal/worker';
import { setHeapGrowth } from '../src/temporal/worker';
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
    const item = itemOf(username, version);
    const started = performance.now();
    const { id: itemId } = await startMultipart(client, item);
    await sendMissing(client, item, { itemId, file, there: [] });
    const ms = performance.now() - started;
    await joined(client, itemId, username);
    return { ms, itemId };
  },

  /** @returns time until the package is in the store, and the target has every part and has been told so. @format milliseconds */
  both: async ({
    store: folder,
    key,
    portal,
    target,
    itemId: from,
  }: Transfer & { readonly target: Transfer['portal']; readonly itemId: string }): Promise<{
    ms: number;
    itemId: string;
    sha256: string;
  }> => {
    const [source, client] = [open(portal), open(target)];
    const { username } = target;
    const store = new LocalStore(folder);
    const item = itemOf(username, releaseOf(await readSelf(client)));
    const { signal } = new AbortController();
    const started = performance.now();
    const { size } = await readItem(source, from);
    const partial = await store.openPartial(key);
    const make = async (): Promise<string> => (await startMultipart(client, item)).id;
    const onwards = {
      portal: client,
      username,
      signal,
      open: make,
      sent: undefined,
      isRepeat: false,
      relays: () => undefined,
    };
    const carrier = new Relay(onwards, partial, Number.POSITIVE_INFINITY);
    const { sha256 } = await fetchPackage(source, partial, {
      itemId: from,
      declared: size,
      atMost: Number.POSITIVE_INFINITY,
      signal,
      onBytes: () => carrier.goOn(),
      hashing: (bytes) => carrier.hashing(bytes),
    });
    await carrier.settle(true);
    await partial.commit();
    const { itemId = '' } = carrier.result ?? {};
    const file = await store.openFile(key);
    if (!file) throw new Error(`${key} is not in the store`);
    const there = await listParts(client, { username, itemId });
    await sendMissing(client, item, { itemId, file, there });
    const ms = performance.now() - started;
    await joined(client, itemId, username);
    await store.remove(key);
    return { ms, itemId, sha256 };
  },
};
export type TransferProcess = typeof transfers;

const itemOf = (username: string, version: PackageItem['version']): PackageItem => ({
  username,
  title: 'bench',
  tags: ['epk'],
  filename: 'bench.epk',
  version,
});

/** Sends the parts that are not there, and tells the portal that it has them all. */
async function sendMissing(
  client: Portal,
  item: PackageItem,
  { itemId, file, there }: { itemId: string; file: StoredFile; there: readonly number[] },
): Promise<void> {
  const missing = partsOf(file.size).filter(({ partNum }) => !there.includes(partNum));
  const { username } = item;
  await mapLimited(missing, PARTS_AT_A_TIME, (part) => addPart(client, { username, itemId, file, ...part }));
  await commit(client, { ...item, itemId });
}

/** The portal joins the parts on its own time; the next transfer is not to suffer from it. */
async function joined(client: Portal, itemId: string, username: string): Promise<void> {
  while ((await readItemStatus(client, { username, itemId })).phase !== 'completed') await pause();
}

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

setHeapGrowth();
serve(transfers);
