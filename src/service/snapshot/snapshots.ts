import { findSnapshot } from '../../domain/resolve-id';
import { compareSnapshots } from '../../domain/snapshot/compare-snapshots';
import type { snapshotOperations, SnapshotView, UnreadableView } from '../../contract/snapshots';
import { newestFirst, readKnown, readOne } from '../../domain/snapshot/list-snapshots';
import { isSafeguard, type NamedSnapshot, namedSnapshots } from '../../domain/snapshot/named-snapshots';
import { maxAgesOf, readRouteStates } from '../../domain/snapshot/retention/route-state';
import { openSnapshots, type Snapshots } from '../../domain/snapshot/snapshots';
import { mapLimited } from '../../model/map-limited';
import { isOfRule } from '../../model/run/run-id';
import { STORE_READS_AT_A_TIME } from '../../store/store';
import type { Context, Handlers } from '../context';
import { noCursor, pageOf } from '../pages';
import { forgetSnapshots } from './forget-snapshots';
import { snapshotView, unreadableView } from './snapshot-view';
import { verifySnapshots } from './verify-snapshots';

/** Each that is given a name throws `SNAPSHOT_NOT_FOUND`, and `USAGE` if several match. */
export const snapshotHandlers: Handlers<typeof snapshotOperations> = {
  /** Reads no more snapshots than the page has, and those that a filter drops. */
  async listSnapshots({ config, store }, { route, tag, safeguards, limit = Infinity, cursor }) {
    const now = Date.now();
    const snapshots = openSnapshots(config, store);
    const named = await namedSnapshots(snapshots, now, route);
    const kept = safeguards ? named : named.filter(({ id }) => !isSafeguard(id));
    const after = cursor === undefined ? undefined : placeIn(cursor);
    const inOrder = newestFirst(now);
    const rest = after ? kept.filter((each) => each.id !== after.id && inOrder(after, each) < 0) : kept;
    const shown: Shown[] = [];
    for (let from = 0; from < rest.length && shown.length <= limit;) {
      const some = rest.slice(from, from + Math.min(STORE_READS_AT_A_TIME, limit + 1 - shown.length));
      from += some.length;
      const views = await mapLimited(some, some.length, showing(snapshots, now, { route, tag }));
      shown.push(...views.flat());
    }
    const page = shown.slice(0, limit);
    const last = shown.length > page.length ? page.at(-1)?.at : undefined;
    // `protect list` counts the groups of rules.
    const ofRoutes = route === undefined ? named.filter(({ id }) => !isOfRule(id)) : named;
    const states = await readRouteStates(snapshots, ofRoutes, maxAgesOf(config), now);
    return {
      snapshots: page.map(({ view }) => view),
      routes: states.filter((each) => route === undefined || each.route === route),
      hidden: kept.length < named.length || undefined,
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

interface Shown {
  readonly at: NamedSnapshot;
  readonly view: SnapshotView | UnreadableView;
}

/** What is shown of a folder that holds a snapshot of the route with the tag; one that cannot be read may be it. */
const showing =
  (snapshots: Snapshots, now: number, { route, tag }: { readonly route?: string; readonly tag?: string }) =>
  async (at: NamedSnapshot): Promise<Shown[]> => {
    const found = await readOne(snapshots, at.id);
    if (found === undefined) return [];
    if ('why' in found) return [{ at, view: unreadableView(found) }];
    const { manifest } = found;
    const isWanted =
      (route === undefined || manifest.route === route) && (tag === undefined || manifest.tags.includes(tag));
    return isWanted ? [{ at, view: snapshotView(found, now) }] : [];
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
