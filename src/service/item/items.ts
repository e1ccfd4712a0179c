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
import type { HeldBackup, HeldRow } from '../../domain/snapshot/held-index';
import { openSnapshots, type Snapshots } from '../../domain/snapshot/snapshots';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import type { SnapshotManifest } from '../../model/snapshot/snapshot';
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
    const isMeant = ({ itemId, title, type }: HeldRow): boolean =>
      [itemId, title, type].some((text) => text.toLowerCase().includes(words));
    const { items, notes } = await heldItems(config, openSnapshots(config, store), isMeant, portal);
    const { page, next } = pageOf(items, paging, ({ itemId, backups }) => `${itemId} ${backups[0].id}`);
    return { items: page.map(itemView), notes, next };
  },

  async readItemHistory({ config, store }, { item, portal }) {
    const snapshots = openSnapshots(config, store);
    const { notes, item: found } = await findHeldItem(config, snapshots, item, portal);
    const { versions, notes: more } = await versionsOf(snapshots, found);
    return {
      ...heldView(found),
      gone: goneView(found),
      versions: versions.map(versionView),
      notes: [...notes, ...more],
    };
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

const shown = ({ manifest: { source }, row }: Holding) => shownAs(row, source);

const heldView = ({ row, backups: [{ source }] }: HeldItem) => shownAs(row, source);

const shownAs = (
  { itemId, type, title, owner, size }: HeldRow,
  { portal, url: portalUrl }: HeldBackup['source'],
) => ({ itemId, type, title, owner, size, portal, portalUrl });

const sideOf = ({ id, takenAt: at }: SnapshotManifest) => ({ id, at });

const goneView = ({ gone }: HeldItem) => gone && { at: gone.takenAt, snapshot: gone.id };

function itemView(item: HeldItem) {
  const { backups, groups } = item;
  const [{ id, takenAt }] = backups;
  return {
    ...heldView(item),
    groups: groups.map(({ source }) => ({ id: source.groupId, title: source.groupTitle })),
    snapshots: backups.length,
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
