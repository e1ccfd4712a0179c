import type { snapshotOperations, VerifiedSnapshot } from '../../contract/snapshots';
import { findSnapshot } from '../../domain/resolve-id';
import { listSnapshots } from '../../domain/snapshot/list-snapshots';
import { openSnapshots, type Snapshots } from '../../domain/snapshot/snapshots';
import { type SharedFiles, verifySnapshot } from '../../domain/snapshot/verify-snapshot';
import { PortolanError } from '../../model/errors/errors';
import type { SnapshotManifest } from '../../model/snapshot/snapshot';
import type { Handlers } from '../context';

type Verify = Handlers<typeof snapshotOperations>['verifySnapshots'];

/** Reads every byte of snapshots. Throws `USAGE` if not exactly one selection is given, and `ABORTED` once the signal fires. */
export const verifySnapshots: Verify = async (
  { config, store, may, signal },
  { snapshots: texts = [], all, route },
) => {
  if ([texts.length > 0, all, route !== undefined].filter(Boolean).length !== 1) {
    throw new PortolanError('USAGE', 'Name snapshots, or --all, or --route.', {
      hint: 'See: portolan snapshot verify --help',
    });
  }
  const snapshots = openSnapshots(config, store);
  const chosen = new Map<string, SnapshotManifest | undefined>();
  for (const text of texts) {
    const id = await findSnapshot(snapshots, text);
    chosen.set(id, await snapshots.find(id).catch(() => undefined));
  }
  if (texts.length === 0) {
    const { readable, unreadable } = await listSnapshots(snapshots);
    for (const { manifest } of readable)
      if (route === undefined || manifest.route === route) chosen.set(manifest.id, manifest);
    for (const { id } of unreadable) chosen.set(id, undefined);
  }
  may.changeSnapshots([...chosen.values()]);
  return verifyEach(snapshots, [...chosen.keys()], signal);
};

/** One snapshot after the other; shared files are read once. */
async function* verifyEach(
  snapshots: Snapshots,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<VerifiedSnapshot> {
  const shared: SharedFiles = new Map();
  for (const id of ids) yield await verifySnapshot(snapshots, id, shared, signal);
}
