import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import { editedSince, ItemsAsLeft } from '../../../domain/release/edited-items';
import { mapLimited } from '../../../model/map-limited';
import { createdItems } from '../../../model/transfer/created-items';
import type { PlanRow } from '../../../model/transfer/plan';
import type { Route } from '../../../model/transfer/route';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import { listGroup } from '../../../portal/resources/groups';
import type { Item } from '../../../portal/resources/items/item';
import { findItem } from '../../../portal/resources/items/items';
import { keys } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { stopSignal } from '../../attempt/heartbeat';
import { HeldItems } from './held-items';
import { whyNotAsLeft } from '../../snapshot/as-left';
import { chosenItems } from './stored-lists';

/** What a rollback does besides its import. */
export interface Undoing {
  /** The rolled-back run. */
  readonly of: string;
  /** The safeguard, if it has copies. @default there are none */
  readonly copiesOf?: string;
  /** Delete what that run created and nobody has changed since. @default false */
  readonly remove?: boolean;
}

interface Undo extends Undoing {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
  /** Items edited since that run are kept. @default they are overwritten */
  readonly keepsEditedSince?: string;
}

/** Rows for what a rollback restores from copies and deletes, given the target's current content. */
export async function undoRows(
  {
    portals,
    store,
    snapshots,
    authority,
  }: Pick<ActivityDeps, 'portals' | 'store' | 'snapshots' | 'authority'>,
  { runId, of, copiesOf, remove = false, route, target, keepsEditedSince }: Undo,
): Promise<PlanRow[]> {
  if (copiesOf === undefined && !remove) return [];
  const held = await HeldItems.from(runId, target, { portals, authority });
  const portal = portals.open(target.name);
  const options = { signal: stopSignal() };
  return [...(await restored()), ...(await removed())];

  async function restored(): Promise<PlanRow[]> {
    if (copiesOf === undefined) return [];
    const chosen = await chosenItems(store, route.options);
    const desired = chosen && new Set(chosen);
    const copies = (await snapshots.rowsOf(await snapshots.read(copiesOf))).filter(
      ({ saved, itemId }) => saved === 'copy' && (desired?.has(itemId) ?? true),
    );
    const left =
      keepsEditedSince === undefined
        ? undefined
        : await ItemsAsLeft.of(keepsEditedSince, { store, portal }, options);
    const group = await listGroup(portal, route.target.groupId, options.signal);
    return await mapLimited(copies, REQUESTS_AT_A_TIME, async ({ itemId, type, title, size }) => {
      const found = await findItem(portal, itemId, options);
      const isEdited = (await left?.edited(itemId)) !== undefined;
      return {
        ...{ itemId, type, title, size, target: found && { ...targetOf(found), inGroup: group.has(itemId) } },
        ...decided(isEdited ? editedSince(keepsEditedSince ?? '') : undefined, held.whyNot(itemId)),
      };
    });
  }

  async function removed(): Promise<PlanRow[]> {
    const noted = remove ? await store.readJson(keys.created(of), createdItems) : undefined;
    if (!noted) return [];
    const rows = await mapLimited(
      Object.keys(noted.items),
      REQUESTS_AT_A_TIME,
      async (itemId): Promise<PlanRow[]> => {
        const found = await findItem(portal, itemId, options);
        if (!found || held.by(itemId) !== undefined) return [];
        if ((await whyNotAsLeft({ portal, options }, found, noted)) !== undefined) return [];
        const { type = '?', title = itemId, size } = found;
        const reason = `created by ${of}`;
        return [{ itemId, type, title, size, action: 'remove', reason, target: targetOf(found) }];
      },
    );
    return rows.flat();
  }
}

const decided = (
  edited: string | undefined,
  heldBack: string | undefined,
): Pick<PlanRow, 'action' | 'reason'> => {
  if (edited !== undefined) return { action: 'keep', reason: edited };
  return heldBack === undefined ? { action: 'restore' } : { action: 'blocked', reason: heldBack };
};

const targetOf = ({ modified, size, owner, access, type }: Item): NonNullable<PlanRow['target']> => ({
  modified,
  size,
  owner,
  access,
  type,
});
