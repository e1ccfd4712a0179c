import type { PlanAction, PlanRow } from '../../model/transfer/plan';
import type { PreviewRow } from '../../model/transfer/preview';
import type { RequestedItem } from '../../model/transfer/requested';
import type { RouteOptions } from '../../model/transfer/route';
import type { Item } from '../../portal/resources/items/item';
import { isSameUser } from '../../model/text/same-user';
import { formatUnchangedSince, recordMark } from './unchanged-items';

/** The fields of an item record on which a plan depends. */
export interface HeldItem {
  readonly type?: string;
  readonly modified?: number;
  readonly size?: number;
  readonly owner?: string;
  readonly access?: string;
  readonly ownerFolder?: string;
}

/** The target's item with the ID of a row. */
export interface Holding {
  /** Its record; undefined if it does not exist, or cannot be read. */
  readonly held?: HeldItem;
  readonly inGroup: boolean;
  readonly groups?: readonly string[];
  /** The importing account. */
  readonly username?: string;
  /** It is restored by a rollback, whoever owns it. @default false */
  readonly isUndone?: boolean;
  /** The owner it would get if new: an earlier run may have set that owner. @default nobody */
  readonly newOwner?: string;
  /** The target's `modified` after the last run of this route. */
  readonly lastModified?: number;
  /** The run since which it was changed on the target alone. */
  readonly driftedSince?: string;
  /** Why it must not be overwritten although it is in the group or forced in: it belongs to a stage. */
  readonly heldBack?: string;
}

/** Wire type of feature services; exports hold none but hosted ones. */
const FEATURE_SERVICE = 'Feature Service';

/** Decides what happens to one item of the package. */
export function planRowFor(row: PreviewRow, holding: Holding, options: RouteOptions): PlanRow {
  const { held, driftedSince } = holding;
  const { action, reason } = decide(row, holding, options);
  const drifted = (driftedSince !== undefined && held !== undefined) || undefined;
  return {
    itemId: row.itemId,
    type: row.type,
    title: row.title,
    size: row.size,
    action,
    reason: drifted
      ? [reason, `changed only on the target since ${driftedSince}`].filter(Boolean).join('; ')
      : reason,
    drifted,
    hosted: row.type === FEATURE_SERVICE || undefined,
    packageModified: row.modified,
    target: held && {
      ...recordOf(held),
      folder: held.ownerFolder,
      inGroup: holding.inGroup,
      groups: holding.groups && [...holding.groups],
      changedSince: editedSince(held.modified, holding.lastModified),
    },
  };
}

const recordOf = ({ modified, size, owner, access, type }: HeldItem) => ({
  modified,
  size,
  owner,
  access,
  type,
});

/** The row of an unchanged item; none if the source skipped it. */
export function untouchedRow(
  { itemId, type, title, size, modified, hosted, same }: RequestedItem,
  held: (HeldItem & Item) | undefined,
): PlanRow | undefined {
  if (!same || same.as === 'skipped') return undefined;
  const isStill = held !== undefined && recordMark(held) === same.onTarget;
  const settled = same.as === 'imported' ? formatUnchangedSince(same.runId) : same.reason;
  return {
    itemId,
    type,
    title,
    size,
    action: isStill && same.as === 'imported' ? 'same' : 'keep',
    reason: isStill ? settled : 'changed on the target since this run began; left for the next run',
    hosted,
    packageModified: modified,
    target: held && { ...recordOf(held), inGroup: true },
  };
}

interface Decision {
  readonly action: PlanAction;
  readonly reason?: string;
}

function decide(row: PreviewRow, holding: Holding, options: RouteOptions): Decision {
  const taken = options.take.includes(row.itemId);
  const refused = row.canImport ? undefined : 'the target says it cannot be imported';
  if (!row.exists && !holding.held) {
    return refused && !taken ? { action: 'blocked', reason: refused } : { action: 'create', reason: refused };
  }
  const obstacle = obstacleTo(row, holding);
  if (obstacle && !taken) return { action: 'blocked', reason: obstacle };
  if (!options.overwrite) return { action: 'keep', reason: 'exists' };
  if (row.type === FEATURE_SERVICE && options.data === 'keep') {
    return { action: 'keep', reason: 'exists; its data is kept (data: keep)' };
  }
  if (holding.heldBack !== undefined) return { action: 'blocked', reason: holding.heldBack };
  const against = ownerObstacle(holding) ?? refused;
  if (against && !taken) return { action: 'blocked', reason: against };
  return { action: 'overwrite', reason: obstacle ?? against };
}

/** What blocks an existing item, whatever the route says about overwriting. */
function obstacleTo(row: PreviewRow, { held, inGroup }: Holding): string | undefined {
  if (!held) return 'exists, but this account cannot read it';
  if (held.type !== undefined && held.type !== row.type) return `exists as ${held.type}`;
  if (!inGroup) return `belongs to ${held.owner ?? 'someone else'}, outside the target group`;
  return undefined;
}

function ownerObstacle({ held, username, isUndone, newOwner }: Holding): string | undefined {
  const { owner } = held ?? {};
  if (isUndone || owner === undefined) return undefined;
  if (isSameUser(owner, username) || isSameUser(owner, newOwner)) return undefined;
  return `belongs to ${owner}`;
}

const editedSince = (modified: number | undefined, lastModified: number | undefined): number | undefined =>
  modified !== undefined && lastModified !== undefined && modified > lastModified ? modified : undefined;
