import type { Config } from '../../config/config';
import { isOneAddress, portalIdentities, portalIdentity } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import { packageOf, type SnapshotManifest, type SnapshotRow } from '../../model/snapshot/snapshot';
import { type ComparedSide, diffSides, type SnapshotDiff } from './diff';
import { findSnapshot } from '../resolve-id';
import type { Snapshots } from './snapshots';

/** What one side of a comparison is. */
export interface SideView {
  /** Absent for the group as it is now. */
  readonly id?: string;
  readonly route: string;
  readonly portal: string;
  readonly groupId: string;
  /** When the snapshot was taken, or the group read. */
  readonly at: string;
}

export interface SnapshotComparison extends SnapshotDiff {
  readonly before: SideView;
  readonly after: SideView;
  /** What a reader has to know of the sides themselves. */
  readonly notes: readonly string[];
}

/**
 * Compares a snapshot with another one, or with its group as it is now where that is `live`. Of a snapshot that does
 * not hold a whole group, only the items that it names are compared with what is there now.
 */
export async function compareSnapshots(
  config: Config,
  snapshots: Snapshots,
  first: string,
  second: string,
  signal?: AbortSignal,
): Promise<SnapshotComparison> {
  const a = await readSide(snapshots, 'A', first);
  const b = second === 'live' ? await readLive(config, a, signal) : await readSide(snapshots, 'B', second);
  const notes = [
    ...(a.view.groupId === b.view.groupId && isOneAddress(a.url, b.url)
      ? []
      : ['they are from different groups']),
    ...(a.isPart || b.isPart ? ['not a whole group, only selected or safeguarded items'] : []),
  ];
  return { ...diffSides(a.side, b.side), before: a.view, after: b.view, notes };
}

interface ReadSnapshot {
  readonly side: ComparedSide;
  readonly view: SideView;
  readonly url: string;
  readonly rows: readonly SnapshotRow[];
  /** Does not hold a whole group. */
  readonly isPart: boolean;
}

async function readSide(snapshots: Snapshots, name: string, text: string): Promise<ReadSnapshot> {
  const manifest = await snapshots.read(await findSnapshot(snapshots, text));
  const rows = await snapshots.rowsOf(manifest);
  return {
    side: { name, rows, packageOf: (row) => packageOf(manifest, row)?.sha256 },
    view: viewOf(manifest),
    url: manifest.source.url,
    rows,
    isPart: manifest.kind === 'safeguard' || manifest.chosen === true,
  };
}

const viewOf = (manifest: SnapshotManifest): SideView => ({
  id: manifest.id,
  route: manifest.route,
  portal: manifest.source.portal,
  groupId: manifest.source.groupId,
  at: manifest.takenAt,
});

async function readLive(
  config: Config,
  { view, url, rows, isPart }: ReadSnapshot,
  signal: AbortSignal | undefined,
): Promise<Omit<ReadSnapshot, 'rows'>> {
  const portal = [...config.portals.values()].find((each) =>
    portalIdentities(each).includes(portalIdentity(url) ?? ''),
  );
  if (!portal) {
    throw new PortolanError(
      'PORTAL_NOT_FOUND',
      `the snapshot was taken at ${url}, which is not in ${config.path}`,
      {
        hint: 'Add that portal to portolan.yaml.',
      },
    );
  }
  const [{ PortalPool }, { findGroup }, { readLiveRows }, { readPortalFacts }] = await Promise.all([
    import('../../config/portal-pool.js'),
    import('../transfer/references/lookup.js'),
    import('./live-rows.js'),
    import('../transfer/portal-facts.js'),
  ]);
  const portals = new PortalPool(config, signal);
  try {
    const client = portals.open(portal.name);
    const { release } = await readPortalFacts(client);
    await findGroup(client, view.groupId);
    const items = isPart ? rows.map(({ itemId }) => itemId) : undefined;
    const at = new Date().toISOString();
    const live = await readLiveRows(client, view.groupId, release, { items });
    return {
      side: { name: 'live', rows: live },
      view: { route: view.route, portal: portal.name, groupId: view.groupId, at },
      url,
      isPart,
    };
  } finally {
    await portals.close();
  }
}
