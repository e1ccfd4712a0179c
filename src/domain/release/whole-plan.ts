import { z } from 'zod';
import { fieldChange } from '../../model/run/run';
import { PortolanError } from '../../model/errors/errors';
import { joinedFigures, mappedFigures, type MappedFigures } from '../../model/release/reference-map';
import { listFirst } from '../../model/text/words';
import {
  comparedFigures,
  type CreatedItems,
  type Plan,
  type PlanRow,
  type PlanSummary,
} from '../../model/transfer/plan';
import type { Change } from '../../model/transfer/change';
import { boundFields } from '../change/plan-change';
import { hashOfJson } from '../snapshot/hashing';
import { withChange } from '../transfer/plan';
import { editedSince } from './edited-items';

/**
 * The whole plan of a promotion: the plans of its groups, and changes of portal settings. Its sha256 is what an
 * approval covers.
 */
export const wholePlan = z.object({
  pipeline: z.string(),
  stage: z.string(),
  /** Of the release, and of what is undone, where that is asked for. */
  release: z.string(),
  undoes: z.string().optional(),
  groups: z.array(
    z.object({
      name: z.string(),
      groupId: z.string(),
      /** Of the group's own plan; of a rollback, of what its run had imported. */
      sha256: z.string(),
      create: z.number(),
      overwrite: z.number(),
      /** For a rollback: items the promotion created. */
      remove: z.number().optional(),
      /** Identical to the release; of a rollback, to what the safeguard holds. */
      same: z.number(),
      keep: z.number(),
      blocked: z.number(),
      /** For a rollback: items edited since, which it keeps. */
      edited: z.array(z.string()).optional(),
      /** For a rollback: sha256 of what changes in its items. */
      changes: z.string().optional(),
    }),
  ),
  /** Changes of the portal, with a fingerprint of its current values. */
  settings: z.object({ expected: z.string(), changes: z.array(fieldChange) }).optional(),
  categories: z.object({ expected: z.string(), changes: z.array(fieldChange) }).optional(),
});
export type WholePlan = z.infer<typeof wholePlan>;

/** How many rows a promotion's plan lists; the groups' plans have all. */
export const ROWS_MAX = 10_000;
/** How many items an error names. */
const NAMED_MAX = 5;

/** A group of a stage and the plan made for it. */
export interface GroupPlan {
  readonly name: string;
  readonly groupId: string;
  readonly sha256: string;
  readonly plan: Pick<Plan, 'rows' | 'arrivedLater' | 'mapped'>;
}

/** The plans of all groups of a stage as one. */
interface JoinedPlans {
  readonly groups: WholePlan['groups'];
  /** The first rows, each with the name of its group. */
  readonly rows: PlanRow[];
  readonly figures: Pick<
    PlanSummary,
    'extra' | 'arrivedLater' | 'mapped' | 'identical' | 'changed' | 'unknown'
  >;
}

/**
 * Joins the plans of a stage's groups. Reads them one by one, so that only one is in memory.
 * @throws PortolanError PROMOTION_BLOCKED if a row is blocked, or two groups would create the same item
 */
export async function wholePlanOf(
  plans: Iterable<GroupPlan> | AsyncIterable<GroupPlan>,
): Promise<JoinedPlans> {
  const groups: WholePlan['groups'] = [];
  const rows: PlanRow[] = [];
  const blocked: string[] = [];
  const mapped: MappedFigures[] = [];
  const createdIn = new Map<string, string>();
  let [extra, arrivedLater] = [0, 0];
  let compared: Compared = {};

  const whyBlocked = ({ action, itemId, reason = 'blocked' }: PlanRow, name: string): string | undefined => {
    if (action === 'blocked') return reason;
    if (action !== 'create') return undefined;
    // Once one group has imported it, no import of another can overwrite it.
    const first = createdIn.get(itemId) ?? name;
    createdIn.set(itemId, first);
    return first === name ? undefined : `is new, and group "${first}" already contains it`;
  };

  for await (const { name, groupId, sha256, plan } of plans) {
    for (const row of plan.rows) {
      const why = whyBlocked(row, name);
      if (why !== undefined) blocked.push(`group "${name}": ${row.title} (${row.itemId}): ${why}`);
    }
    if (rows.length < ROWS_MAX) rows.push(...plan.rows.map((row) => ({ ...row, of: name })));
    groups.push({ name, groupId, sha256, ...countActions(plan.rows) });
    extra += plan.rows.filter(({ action }) => action === 'extra').length;
    arrivedLater += plan.arrivedLater;
    compared = sumOfCompared(compared, comparedFigures(plan.rows));
    if (plan.mapped) mapped.push(mappedFigures.parse(plan.mapped));
  }
  if (blocked.length > 0) throw blockedError(blocked);
  return {
    groups,
    rows: boundFields(rows.slice(0, ROWS_MAX)),
    figures: {
      ...compared,
      extra,
      arrivedLater,
      ...(mapped.length > 0 && { mapped: joinedFigures(mapped) }),
    },
  };
}

type Compared = ReturnType<typeof comparedFigures>;

const sumOfCompared = (one: Compared, other: Compared): Compared =>
  Object.keys(other).length === 0
    ? one
    : {
        identical: (one.identical ?? 0) + (other.identical ?? 0),
        changed: (one.changed ?? 0) + (other.changed ?? 0),
        unknown: (one.unknown ?? 0) + (other.unknown ?? 0),
      };

type Counted = 'create' | 'overwrite' | 'remove' | 'same' | 'keep' | 'blocked';

/** How many items a group's plan creates, overwrites, and so on. */
export const countActions = (rows: readonly PlanRow[]) =>
  countsBy((action) => rows.filter((row) => row.action === action).length);

/** How many items all groups' plans create, overwrite, and so on. */
export const countsOf = ({ groups }: WholePlan) =>
  countsBy((action) => groups.reduce((all, each) => all + (each[action] ?? 0), 0));

function countsBy(count: (action: Counted) => number): Pick<PlanSummary, Counted> & { same: number } {
  const remove = count('remove');
  return {
    create: count('create'),
    overwrite: count('overwrite'),
    same: count('same'),
    keep: count('keep'),
    blocked: count('blocked'),
    ...(remove > 0 && { remove }),
  };
}

const blockedError = (blocked: readonly string[]): PortolanError =>
  new PortolanError(
    'PROMOTION_BLOCKED',
    `${blocked.length} items are blocked on the stage: ${listFirst(blocked, NAMED_MAX).join('; ')}`,
  );

interface Undo {
  /** The run that wrote the items. */
  readonly undone: string;
  /** Overwritten items that somebody has edited since, and that the rollback keeps. */
  readonly isKept: ReadonlySet<string>;
  /** The items that the run created. @default all that its plan creates */
  readonly noted: CreatedItems | undefined;
  /** What returning to the safeguard changes, by item ID. @default unknown */
  readonly changes?: ReadonlyMap<string, Change>;
  /** The safeguard. */
  readonly snapshotId?: string;
}

/** sha256 of what a rollback changes in its items, which its approval covers. */
export const hashOfChanges = (rows: readonly PlanRow[]): string =>
  hashOfJson(rows.flatMap(({ itemId, change }) => (change ? [[itemId, change.sha256]] : [])));

/**
 * The rows of a stage rollback's plan, by the plan of the import that it undoes. The rollback of each group makes its own
 * plan from what the target holds. Items that the import did not write have no row.
 */
export const promotionUndoRows = (rows: readonly PlanRow[], undo: Undo): PlanRow[] =>
  rows.flatMap((row) => undoRow(row, undo) ?? []);

function undoRow(
  { itemId, type, title, size, action }: PlanRow,
  { undone, isKept, noted, changes, snapshotId }: Undo,
): PlanRow | undefined {
  const item = { itemId, type, title, size };
  if (action === 'overwrite') {
    if (isKept.has(itemId)) return { ...item, action: 'keep', reason: editedSince(undone) };
    const change = changes?.get(itemId);
    if (change?.kind === 'same') return withChange({ ...item, action }, change, snapshotId);
    return { ...item, action, reason: `returns to its state before ${undone}`, change };
  }
  const isCreated = action === 'create' && (noted === undefined || Object.hasOwn(noted.items, itemId));
  return isCreated ? { ...item, action: 'remove', reason: `created by ${undone}` } : undefined;
}
