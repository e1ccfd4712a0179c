import { PortolanError } from '../../model/errors/errors';
import { isGood, listSnapshots } from './list-snapshots';
import { latestOf, listed, resolveId } from './resolve-id';
import type { Snapshots } from './snapshots';

/**
 * The ID of the snapshot that is meant: its ID, a unique end of it, `latest`, or `latest:ROUTE`: the newest good backup
 * of all or of a route that was taken here. An imported one needs its ID. The snapshot may be unreadable.
 * Throws SNAPSHOT_NOT_FOUND with what there is, and USAGE with the candidates if there are several.
 */
export async function findSnapshot(snapshots: Snapshots, text: string): Promise<string> {
  const latest = latestOf(text);
  if (latest) return await findLatest(snapshots, latest.name);
  const { where } = snapshots.store;
  return resolveId(await snapshots.ids(), text, { what: 'snapshot', notFound: 'SNAPSHOT_NOT_FOUND', where });
}

async function findLatest(snapshots: Snapshots, route: string | undefined): Promise<string> {
  const { readable, unreadable } = await listSnapshots(snapshots);
  const manifests = readable.map(({ manifest }) => manifest);
  const ofRoute = manifests.filter((each) => route === undefined || each.route === route);
  const good = ofRoute.filter(isGood);
  const found = good.find(({ imported }) => !imported);
  if (found) return found.id;
  const notGood = ofRoute.filter((each) => each.kind === 'backup' && !isGood(each));
  const taken = manifests.filter((each) => isGood(each) && !each.imported);
  const routes = [...new Set(taken.map((each) => each.route))];
  const facts = [
    notGood.length > 0 ? `${notGood.length} incomplete or empty` : '',
    unreadable.length > 0 ? `${unreadable.length} unreadable` : '',
    route !== undefined && routes.length > 0 ? `routes with one: ${routes.join(', ')}` : '',
  ].filter(Boolean);
  throw new PortolanError(
    'SNAPSHOT_NOT_FOUND',
    `no good backup${route === undefined ? '' : ` of route "${route}"`} in the store at ${snapshots.store.where}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}${good.length === 0 ? '' : `; imported from another store:\n${listed(good.map(({ id }) => id))}`}`,
    good.length === 0 ? {} : { hint: 'Type the ID of one imported from another store.' },
  );
}
