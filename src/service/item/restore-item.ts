import type { Config, PortalConfig } from '../../config/config';
import { resolveRestore } from '../../config/resolve-route';
import type { itemOperations } from '../../contract/items';
import { findHeldItem, findRow, holdingsOf } from '../../domain/item/held-items';
import { requireIntact } from '../../domain/item/intact';
import { findSnapshot } from '../../domain/resolve-id';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { PortolanError } from '../../model/errors/errors';
import { portalIdentities, portalIdentity } from '../../model/identity';
import type { RestoreInput } from '../../model/run/run-input';
import type { SnapshotManifest } from '../../model/snapshot/snapshot';
import type { Context } from '../context';
import type { RunStart } from '../run/start-run';
import type { PreparedRun, Starting } from '../start/prepared-run';
import type { z } from 'zod';

/**
 * Prepares the restore of one item, by default to where it was backed up. It returns with its owner, folder and sharing
 * if it was deleted. Throws `ITEM_NOT_FOUND`, and `SNAPSHOT_ALTERED` with the next older intact version.
 */
export async function prepareItemRestore(
  { config, store, may, requestId }: Starting & Pick<Context, 'may'>,
  {
    item,
    at,
    to: toPortal,
    into: intoGroup,
    yes,
    reason,
    ...flags
  }: z.output<(typeof itemOperations)['restoreItem']['input']>,
): Promise<PreparedRun> {
  const snapshots = openSnapshots(config, store);
  const manifest = await snapshots.read(await findSnapshot(snapshots, at));
  // Asked first, since a damaged package is noted in the store.
  may.changeRun({ kind: 'restore', route: { name: manifest.route } });
  const row = await findRow(snapshots, manifest, item);
  const { itemId } = row;
  const { portal, url, groupId } = manifest.source;
  const home = homeOf(config, manifest)?.name;
  const to = toPortal ?? configuredPortal(config, manifest).name;
  const isHome = to === home;
  if (!isHome && intoGroup === undefined)
    throw new PortolanError('USAGE', `Name the group of ${to}.`, { hint: 'Add: --into GROUP' });
  await requireIntact(snapshots, { manifest, row }, async () => {
    const found = await findHeldItem(config, snapshots, itemId, home);
    return (await holdingsOf(snapshots, found.item)).holdings;
  });
  const route = resolveRestore(
    config,
    { name: manifest.route, source: { portal, url, groupId } },
    { ...flags, to, into: intoGroup ?? groupId, items: [itemId], overwrite: true },
  );
  // Users of another portal are others.
  const placementRules = isHome ? { owners: { map: {} } } : undefined;
  const start: RunStart<RestoreInput> = {
    route,
    yes,
    requestId,
    reason,
    snapshotId: manifest.id,
    ...(placementRules && { placementRules }),
  };
  return { kind: 'restore', start };
}

/** The portal from which a snapshot was taken. Throws `PORTAL_NOT_FOUND`. */
export function configuredPortal(config: Config, manifest: Pick<SnapshotManifest, 'source'>): PortalConfig {
  const found = homeOf(config, manifest);
  if (found) return found;
  const { url } = manifest.source;
  throw new PortolanError(
    'PORTAL_NOT_FOUND',
    `the snapshot was taken at ${url}, which is not in ${config.path}`,
    { hint: 'Add that portal to portolan.yaml.' },
  );
}

function homeOf(
  config: Config,
  { source: { portal, url } }: Pick<SnapshotManifest, 'source'>,
): PortalConfig | undefined {
  const same = [...config.portals.values()].filter((each) =>
    portalIdentities(each).includes(portalIdentity(url) ?? ''),
  );
  return same.find(({ name }) => name === portal) ?? same[0];
}
