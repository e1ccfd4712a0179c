import type { snapshotOperations } from '../../contract/snapshots';
import { findSnapshot } from '../../domain/resolve-id';
import { compareSnapshots } from '../../domain/snapshot/compare-snapshots';
import { listSnapshots, newestFirst, readKnown } from '../../domain/snapshot/list-snapshots';
import { maxAgesOf, routeStates } from '../../domain/snapshot/retention/route-state';
import { openSnapshots, type Snapshots } from '../../domain/snapshot/snapshots';
import type { Context, Handlers } from '../context';
import { noCursor, pageOf } from '../pages';
import { forgetSnapshots } from './forget-snapshots';
import { snapshotView, unreadableViews } from './snapshot-view';
import { verifySnapshots } from './verify-snapshots';

/** Each that is given a name throws `SNAPSHOT_NOT_FOUND`, and `USAGE` if several match. */
export const snapshotHandlers: Handlers<typeof snapshotOperations> = {
  /** Those that cannot be read are on the last page. */
  async listSnapshots({ config, store }, { route, tag, safeguards, limit = Infinity, cursor }) {
    const now = Date.now();
    const listing = await listSnapshots(openSnapshots(config, store), now);
    const ofRoute = listing.readable.filter(
      ({ manifest }) => route === undefined || manifest.route === route,
    );
    const tagged = ofRoute.filter(({ manifest }) => tag === undefined || manifest.tags.includes(tag));
    const shown = tagged.filter(({ manifest }) => safeguards || manifest.kind === 'backup');
    const inOrder = newestFirst(now);
    const after = cursor === undefined ? undefined : placeIn(cursor);
    const rest = after
      ? shown.filter(({ manifest }) => manifest.id !== after.id && inOrder(after, manifest) < 0)
      : shown;
    const page = rest.slice(0, limit);
    const last = rest.length > page.length ? page.at(-1)?.manifest : undefined;
    const hidden = tagged.length - shown.length;
    return {
      snapshots: [
        ...page.map((snapshot) => snapshotView(snapshot, now)),
        ...(last ? [] : unreadableViews(listing)),
      ],
      routes: routeStates(ofRoute, maxAgesOf(config), now).filter(
        (each) => route === undefined || each.route === route,
      ),
      hidden: hidden > 0 ? hidden : undefined,
      next: last && `${Date.parse(last.takenAt)}.${last.id}`,
    };
  },

  async readSnapshot({ config, store }, { snapshot, ...paging }) {
    const snapshots = openSnapshots(config, store);
    const known = await readKnown(snapshots, await findSnapshot(snapshots, snapshot));
    const { manifest, pin, proofs, confirmed, problems } = known;
    const { page, next } = pageOf(await snapshots.rowsOf(manifest), paging, ({ itemId }) => itemId);
    return { ...manifest, pin, proofs, confirmed, problems, items: page, next };
  },

  diffSnapshots: ({ config, store, signal }, { snapshot, with: after }) =>
    compareSnapshots(config, openSnapshots(config, store), snapshot, after, signal),

  verifySnapshots,

  async pinSnapshot(context, { snapshot, reason }) {
    const { snapshots, id } = await changeable(context, snapshot);
    const pin = { at: new Date().toISOString(), who: context.asker.who, reason };
    await snapshots.pin(id, pin);
    return { id, pin };
  },

  async unpinSnapshot(context, { snapshot }) {
    const { snapshots, id } = await changeable(context, snapshot);
    return { id, wasPinned: await snapshots.unpin(id) };
  },

  forgetSnapshots,
};

/** A snapshot that the caller may change; it may be unreadable. */
async function changeable(
  { config, store, may }: Context,
  text: string,
): Promise<{ readonly snapshots: Snapshots; readonly id: string }> {
  const snapshots = openSnapshots(config, store);
  const id = await findSnapshot(snapshots, text);
  may.changeSnapshots([await snapshots.find(id).catch(() => undefined)]);
  return { snapshots, id };
}

/** The position of a snapshot in the order, also after it was forgotten. */
function placeIn(cursor: string): { readonly id: string; readonly takenAt: string } {
  const [, taken, id = ''] = /^(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  if (taken === undefined) throw noCursor();
  return { id, takenAt: new Date(Number(taken)).toISOString() };
}
