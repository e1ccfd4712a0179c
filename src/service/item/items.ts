import type { ItemComparison, itemOperations } from '../../contract/items';
import { readContent } from '../../domain/change/item-content';
import { findHeldItem, findRow, type HeldItem, heldItems, type Holding } from '../../domain/item/held-items';
import {
  changeBetween,
  changeIn,
  heldContent,
  type ItemVersion,
  versionsOf,
} from '../../domain/item/history';
import { findSnapshot } from '../../domain/resolve-id';
import { contentOf } from '../../domain/snapshot/contents';
import { openSnapshots, type Snapshots } from '../../domain/snapshot/snapshots';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import type { SnapshotManifest, SnapshotRow } from '../../model/snapshot/snapshot';
import { maskedJson } from '../../model/text/mask-secrets';
import { findItem } from '../../portal/resources/items/items';
import type { Handlers } from '../context';
import { pageOf } from '../pages';
import { starting } from '../start/starts';
import { configuredPortal, prepareItemRestore } from './restore-item';

/** Each that is given an item throws `ITEM_NOT_FOUND`, and `USAGE` if several match. */
export const itemHandlers: Handlers<typeof itemOperations> = {
  async listItems({ config, store }, { query = '', portal, ...paging }) {
    const words = query.trim().toLowerCase();
    const isMeant = ({ itemId, title, type }: SnapshotRow): boolean =>
      [itemId, title, type].some((text) => text.toLowerCase().includes(words));
    const { items, notes } = await heldItems(config, openSnapshots(config, store), isMeant, portal);
    const { page, next } = pageOf(items, paging, ({ itemId, newest }) => `${itemId} ${newest.manifest.id}`);
    return { items: page.map(itemView), notes, next };
  },

  async readItemHistory({ config, store }, { item, portal }) {
    const snapshots = openSnapshots(config, store);
    const { notes, item: found } = await findHeldItem(config, snapshots, item, portal);
    const versions = await versionsOf(snapshots, found);
    return { ...shown(found.newest), gone: goneView(found), versions: versions.map(versionView), notes };
  },

  async diffItem({ config, store, signal }, { item, before: first, after: second }) {
    const snapshots = openSnapshots(config, store);
    const before = await holdingAt(snapshots, first, item);
    if (second === 'live') return await diffWithLive(config, snapshots, before, signal);
    const after = await holdingAt(snapshots, second, before.row.itemId);
    const change = await changeBetween(snapshots, before, after);
    return { ...shown(after), before: sideOf(before.manifest), after: sideOf(after.manifest), change };
  },

  async readItemAt({ config, store }, { item, snapshot }) {
    const snapshots = openSnapshots(config, store);
    const { manifest, row } = await holdingAt(snapshots, snapshot, item);
    const { id, takenAt, route } = manifest;
    const content = await contentOf(snapshots, manifest, row);
    const state = { ...shown({ manifest, row }), snapshot: { id, takenAt, route }, row, content };
    return maskedJson(state) as typeof state;
  },

  restoreItem: starting(prepareItemRestore),
};

async function holdingAt(snapshots: Snapshots, snapshot: string, item: string): Promise<Holding> {
  const manifest = await snapshots.read(await findSnapshot(snapshots, snapshot));
  return { manifest, row: await findRow(snapshots, manifest, item) };
}

async function diffWithLive(
  config: Config,
  snapshots: Snapshots,
  before: Holding,
  signal: AbortSignal | undefined,
): Promise<ItemComparison> {
  const { itemId, type, title } = before.row;
  const { name } = configuredPortal(config, before.manifest);
  const { PortalPool } = await import('../../config/portal-pool.js');
  const portals = new PortalPool(config, signal);
  try {
    const at = new Date().toISOString();
    if (!(await findItem(portals.open(name), itemId, { signal })))
      throw new PortolanError('ITEM_NOT_FOUND', `"${title}" (${itemId}) is no longer on ${name}`, {
        hint: `To bring it back: portolan item restore ${itemId} --at ${before.manifest.id}`,
      });
    const live = await readContent(portals.open(name), itemId, { signal });
    const change = changeIn(type, await heldContent(snapshots, before), live);
    return { ...shown(before), before: sideOf(before.manifest), after: { at }, change };
  } finally {
    await portals.close();
  }
}

const shown = ({ manifest: { source }, row: { itemId, type, title, owner, size } }: Holding) => ({
  itemId,
  type,
  title,
  owner,
  size,
  portal: source.portal,
  portalUrl: source.url,
});

const sideOf = ({ id, takenAt: at }: SnapshotManifest) => ({ id, at });

const goneView = ({ gone }: HeldItem) => gone && { at: gone.takenAt, snapshot: gone.id };

function itemView(item: HeldItem) {
  const { newest, backups, groups } = item;
  const { id, takenAt } = newest.manifest;
  return {
    ...shown(newest),
    groups: groups.map(({ source }) => ({ id: source.groupId, title: source.groupTitle })),
    snapshots: backups,
    newest: { id, takenAt },
    gone: goneView(item),
  };
}

function versionView({ holdings, change }: ItemVersion) {
  const [newest, oldest] = [holdings[0], holdings.at(-1)];
  const { type = '', title = '', owner, size } = newest?.row ?? {};
  return {
    type,
    title,
    owner,
    size,
    at: oldest?.manifest.takenAt ?? '',
    until: newest?.manifest.takenAt ?? '',
    change,
    snapshots: holdings.map(({ manifest: { id, takenAt, route }, row: { saved, reason }, damaged }) => ({
      id,
      takenAt,
      route,
      saved,
      reason,
      damaged,
    })),
  };
}
