import { PortolanError } from '../../model/errors/errors';
import { listIds, resolveId } from '../resolve-id';
import { isGood, listSnapshots } from './list-snapshots';
import type { Snapshots } from './snapshots';

const latest = /^latest(?::(.+))?$/;

/**
 * The id of the snapshot that somebody means: its id, an end of it that no other has, `latest`, or `latest:ROUTE`,
 * which are the newest good backups of all and of a route that were taken here: one that came from another store is
 * meant only where its id is typed. The snapshot itself may be unreadable.
 * Throws SNAPSHOT_NOT_FOUND with what there is, and USAGE with the candidates where there are several.
 */
export async function findSnapshot(snapshots: Snapshots, text: string): Promise<string> {
  const desired = latest.exec(text);
  if (desired) return await findLatest(snapshots, desired[1]);
  return resolveId('snapshot', text, await snapshots.ids(), snapshots.store.where);
}

async function findLatest(snapshots: Snapshots, route: string | undefined): Promise<string> {
  const { readable, unreadable } = await listSnapshots(snapshots);
  const ofRoute = readable.filter(({ manifest }) => route === undefined || manifest.route === route);
  const good = ofRoute.map(({ manifest }) => manifest).filter(isGood);
  const found = good.find(({ imported }) => !imported);
  if (found) return found.id;
  const notGood = ofRoute.filter(({ manifest }) => manifest.kind === 'backup' && !isGood(manifest));
  const routes = [
    ...new Set(
      readable
        .filter(({ manifest }) => isGood(manifest) && !manifest.imported)
        .map((each) => each.manifest.route),
    ),
  ];
  const facts = [
    notGood.length > 0 ? `${notGood.length} incomplete or empty` : '',
    unreadable.length > 0 ? `${unreadable.length} unreadable` : '',
    route !== undefined && routes.length > 0 ? `routes with one: ${routes.join(', ')}` : '',
  ].filter(Boolean);
  throw new PortolanError(
    'SNAPSHOT_NOT_FOUND',
    `no good backup${route === undefined ? '' : ` of route "${route}"`} in the store at ${snapshots.store.where}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}${good.length === 0 ? '' : `; imported from another store:\n${listIds(good.map(({ id }) => id))}`}`,
    good.length === 0 ? {} : { hint: 'Type the ID of one imported from another store.' },
  );
}
