import { z } from 'zod';
import { mappedFigures } from '../release/reference-map';
import { change } from './change';

export const planActions = [
  'create',
  'overwrite',
  'restore',
  'remove',
  'same',
  'keep',
  'blocked',
  'extra',
] as const;
export type PlanAction = (typeof planActions)[number];

/**
 * One row of a plan: an item of the package and what would happen to it. Not in the package: what only the target has
 * (`extra`), what a run of before has settled and neither side has touched since (`same`, or `keep`), what a rollback
 * restores from a copy (`restore`), and what it removes because the undone run created it (`remove`). Also `same`, with a
 * `change`: what would be overwritten, had it not the content that would come.
 */
export const planRow = z.object({
  itemId: z.string(),
  type: z.string(),
  title: z.string(),
  /** Bytes, as the preview says; absent where it does not. */
  size: z.number().optional(),
  action: z.enum(planActions),
  /** Reason, for people. */
  reason: z.string().optional(),
  /** Who will own it, where it is created by a run that puts right what an import does not carry. */
  owner: z.string().optional(),
  /** Id of a group of the source that configures it, and that the target does not have. */
  group: z.string().optional(),
  /** What of an item that is overwritten could not be put back, should the portal replace it: words that follow its title. */
  beyond: z.array(z.string()).optional(),
  /** How its content would change; absent unless it would be overwritten or restored. */
  change: change.optional(),
  /** Number of the package that holds it, from 0; absent if no package does. */
  packageIndex: z.number().optional(),
  /** Of a promotion: the name of its group. */
  of: z.string().optional(),
  /** It was changed on the target alone since a run of the route had brought it. */
  drifted: z.boolean().optional(),
  /** A hosted feature service, whose data counts. */
  hosted: z.boolean().optional(),
  /** Modified time in the package, milliseconds since the epoch. */
  packageModified: z.number().optional(),
  /** What the target holds under this id; absent where it holds nothing. */
  target: z
    .object({
      modified: z.number().optional(),
      /** Bytes, as the target says; a hosted service tells none. */
      size: z.number().optional(),
      owner: z.string().optional(),
      access: z.string().optional(),
      type: z.string().optional(),
      folder: z.string().nullish(),
      inGroup: z.boolean().optional(),
      groups: z.array(z.string()).optional(),
      /** Set where the item changed on the target since the last run of this route ended. */
      changedSince: z.number().optional(),
    })
    .optional(),
});
export type PlanRow = z.infer<typeof planRow>;

const notPackaged: ReadonlySet<PlanAction> = new Set(['restore', 'remove', 'extra']);

/** Whether the item is in the package, or would be if it had changed. */
export const isPackaged = ({ action }: Pick<PlanRow, 'action'>): boolean => !notPackaged.has(action);

/** Whether a run that follows the plan overwrites an item of the target: what its safeguard has to hold. */
export const isOverwritten = ({ action, target }: Pick<PlanRow, 'action' | 'target'>): boolean =>
  action === 'overwrite' || (action === 'restore' && target !== undefined);

/** Whether it is left alone because its content was compared and is the one that would come. */
export const isIdentical = ({ action, change: found }: Pick<PlanRow, 'action' | 'change'>): boolean =>
  action === 'same' && found !== undefined;

/** Whether its content changes, or may change because it could not be compared. */
export const isChanging = (row: Pick<PlanRow, 'action' | 'change'>): boolean =>
  row.change !== undefined && !isIdentical(row);

/** A whole plan, as stored. */
export const plan = z.object({
  hash: z.string(),
  sha256: z.string(),
  /** In the order in which they are imported, each with the ID of its item on the target. */
  packages: z.array(z.object({ sha256: z.string(), itemId: z.string() })),
  targetGroupId: z.string(),
  /** Items of the package that came into the source group after the run began: left for the next run. */
  arrivedLater: z.number(),
  readAt: z.string(),
  /**
   * By the target's clock, when the package came there: what the import makes comes later. Absent where it did not say.
   * @format milliseconds since the epoch
   */
  packageAdded: z.number().optional(),
  rows: z.array(planRow),
  /** What the map of a stage changes, and the sha256 of that map, which the plan's own covers. */
  mapped: mappedFigures.extend({ map: z.string() }).optional(),
});
export type Plan = z.infer<typeof plan>;

/** The counts of a plan, as kept in workflow history and in the record. */
export const planSummary = z.object({
  create: z.number(),
  overwrite: z.number(),
  restore: z.number().optional().describe('rollback: from safeguard copies'),
  remove: z.number().optional().describe('rollback: deleted, unchanged since created'),
  same: z.number().optional().describe('left alone: identical, or unchanged since an earlier run'),
  identical: z.number().optional().describe('of `same`: their content was compared'),
  changed: z.number().optional().describe('of what is overwritten or restored: its content changes'),
  unknown: z.number().optional().describe('of what is overwritten or restored: its content was not compared'),
  drifted: z.number().optional().describe('changed only on the target'),
  keep: z.number(),
  blocked: z.number(),
  extra: z.number(),
  hash: z.string().describe('short form of `sha256`, for people'),
  sha256: z.string().describe('of everything an approval covers'),
  arrivedLater: z.number().describe('packaged items left for the next run'),
  mapped: mappedFigures.optional().describe('changes by the map of the stage'),
  ref: z.string().describe('store key of the whole plan'),
});
export type PlanSummary = z.infer<typeof planSummary>;

/** A row of an import preview as the run keeps it. */
export const previewRow = z.object({
  itemId: z.string(),
  type: z.string(),
  title: z.string(),
  size: z.number().optional(),
  exists: z.boolean(),
  canImport: z.boolean(),
  modified: z.number().optional(),
});
export type PreviewRow = z.infer<typeof previewRow>;

/** Items that a run created on its target, with what the target said of each right after the import. */
export const createdItems = z.object({
  /** Accounts to which the import gives what it creates. */
  accounts: z.array(z.string()),
  /**
   * By the target's clock, before anything was imported; null where it did not say.
   * @format milliseconds since the epoch
   */
  since: z.number().nullable(),
  items: z.record(
    z.string(),
    z.object({
      /** The target did not have it right before the import. */
      wasAbsent: z.boolean(),
      /** The import listed it as imported; false if its response was lost. */
      isListed: z.boolean(),
      /** Null where the target did not say. */
      owner: z.string().nullable(),
      /** @format milliseconds since the epoch; null where it did not say */
      modified: z.number().nullable(),
      /** Of a hosted service: the last edit of any layer; null where one did not say. */
      edited: z.number().nullable().optional(),
      /** The owner the run sets after the import. */
      givenTo: z.string().optional(),
      /** The run has protected it against being deleted. */
      protected: z.boolean().optional(),
    }),
  ),
});
export type CreatedItems = z.infer<typeof createdItems>;
export type CreatedItem = CreatedItems['items'][string];

/** How a run, or what undid it, has left items on its target that were there before. */
export const leftItems = z.object({
  items: z.record(
    z.string(),
    z.object({
      /** @format milliseconds since the epoch; null where the target did not say */
      modified: z.number().nullable(),
      /** Of a hosted service: the last edit of any layer; null where one did not say. */
      edited: z.number().nullable().optional(),
    }),
  ),
});
export type LeftItems = z.infer<typeof leftItems>;

type ComparedFigures = Pick<PlanSummary, 'identical' | 'changed' | 'unknown'>;

/** How many rows are identical, change, or could not be compared; nothing if no row was compared. */
export function comparedFigures(rows: readonly Pick<PlanRow, 'action' | 'change'>[]): ComparedFigures {
  const compared = rows.filter(({ change: found }) => found !== undefined);
  if (compared.length === 0) return {};
  const written = compared.filter(isChanging);
  const unknown = written.filter(({ change: found }) => found?.kind === 'unknown').length;
  return { identical: compared.length - written.length, changed: written.length - unknown, unknown };
}
