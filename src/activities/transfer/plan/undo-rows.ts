import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import { lastEdit } from '../../../domain/transfer/hosted-layers';
import { notAsLeft } from '../../../domain/transfer/made-by-run';
import { editedSince, ItemsAsLeft } from '../../../domain/release/items-as-left';
import { mapLimited } from '../../../model/map-limited';
import { type CreatedItem, type CreatedItems, createdItems } from '../../../model/transfer/created-items';
import type { PlanRow } from '../../../model/transfer/plan';
import type { Route } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import type { CallOptions } from '../../../portal/http/request';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import type { Item } from '../../../portal/resources/items/item';
import { findItem } from '../../../portal/resources/items/items';
import { keys } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { stopSignal } from '../../attempt/heartbeat';
import { chosenItems } from './stored-lists';

/** What a rollback does besides its import. */
export interface Undoing {
  /** The undone run. */
  readonly of: string;
  /** The safeguard, if it holds copies. @default there are none */
  readonly copiesOf?: string;
  /** Remove what the undone run created and nobody has changed since. @default false */
  readonly remove?: boolean;
}

interface Undo extends Undoing {
  readonly route: Route;
  readonly target: PortalFacts;
  /** Items edited since that run are kept. @default they are overwritten */
  readonly keepsEditedSince?: string;
}

/** Why an item that a run created may not be removed; undefined if it is still as the run left it. */
export async function whyNotRemoved(
  portal: Portal,
  found: Item,
  left: CreatedItem,
  maker: CreatedItems,
  options: CallOptions,
): Promise<string | undefined> {
  const not = notAsLeft(found, left, maker);
  if (not !== undefined || left.edited === undefined) return not;
  return (await lastEdit(portal, found, options)) === left.edited
    ? undefined
    : 'its features were edited since';
}

/** The rows of what a rollback restores from copies and of what it removes, as the target stands now. */
export async function undoRows(
  { portals, store, snapshots }: Pick<ActivityDeps, 'portals' | 'store' | 'snapshots'>,
  { of, copiesOf, remove = false, route, target, keepsEditedSince }: Undo,
): Promise<PlanRow[]> {
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
    return await mapLimited(copies, REQUESTS_AT_A_TIME, async ({ itemId, type, title, size }) => {
      const found = await findItem(portal, itemId, options);
      const isEdited = (await left?.edited(itemId)) !== undefined;
      return {
        ...{ itemId, type, title, size, target: found && targetOf(found) },
        ...(isEdited
          ? { action: 'keep' as const, reason: editedSince(keepsEditedSince ?? '') }
          : { action: 'restore' as const }),
      };
    });
  }

  async function removed(): Promise<PlanRow[]> {
    const noted = remove ? await store.readJson(keys.created(of), createdItems) : undefined;
    if (!noted) return [];
    const rows = await mapLimited(
      Object.entries(noted.items),
      REQUESTS_AT_A_TIME,
      async ([itemId, left]): Promise<PlanRow[]> => {
        const found = await findItem(portal, itemId, options);
        if (!found || (await whyNotRemoved(portal, found, left, noted, options)) !== undefined) return [];
        const { type = '?', title = itemId, size } = found;
        const reason = `created by ${of}`;
        return [{ itemId, type, title, size, action: 'remove', reason, target: targetOf(found) }];
      },
    );
    return rows.flat();
  }
}

const targetOf = ({ modified, size, owner, access, type }: Item): NonNullable<PlanRow['target']> => ({
  modified,
  size,
  owner,
  access,
  type,
});
