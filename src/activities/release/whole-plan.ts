import { shortHash } from '../../model/transfer/plan-summary';
import { editedSince, ItemsAsLeft } from '../../domain/release/edited-items';
import {
  promotionUndoRows,
  countActions,
  countsOf,
  type GroupPlan,
  hashOfChanges,
  ROWS_MAX,
  wholePlanOf,
  type WholePlan,
  wholePlan,
} from '../../domain/release/whole-plan';
import { hashOfJson } from '../../domain/snapshot/hashing';
import { PortolanError } from '../../model/errors/errors';
import { countEach } from '../attempt/each-item';
import { type PromotionEntry, standingsOf } from '../../model/release/promotion';
import type { PromotionInput } from '../../model/release/promotion-input';
import { type FieldChange, runRecord } from '../../model/run/run';
import { wholeOfPart } from '../../model/run/run-id';
import type { Change } from '../../model/transfer/change';
import {
  comparedFigures,
  createdItems,
  type Plan,
  plan,
  type PlanSummary,
  type PlanRow,
} from '../../model/transfer/plan';
import { boundFields } from '../../domain/change/plan-change';
import { readPortalFacts } from '../../domain/transfer/portal-facts';
import { keys } from '../../store/keys';
import { listGroup } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import { compareWithSafeguard } from '../transfer/plan/changes';
import type { ActivityDeps } from '../deps';
import { timestamp, progress, stoppable } from '../attempt/heartbeat';
import { portalChanges, undoneChanges } from './promoted-portal';
import { promotionRefused, requireMayCome, signedPromotion } from './stage';

/** A group's plan, by the run that made it. */
interface PlannedGroup {
  readonly index: number;
  /** Store key. */
  readonly ref: string;
}

/** How many snapshots an error names. */
const NAMED_MAX = 5;

/**
 * Joins the plans of all groups and the portal changes. Throws PROMOTION_BLOCKED if a row is blocked, and what
 * `openPromotion` throws.
 */
export async function joinPlans(
  deps: ActivityDeps,
  { runId, reading, planned }: { runId: string; reading: number; planned: readonly PlannedGroup[] },
): Promise<{ plan: PlanSummary; changes: FieldChange[] }> {
  const input = await signedPromotion(deps, runId);
  // Another promotion may have ended while this one waited.
  await requireMayCome(deps, input);
  const { groups, rows, figures } = await wholePlanOf(readPlans(deps, input, planned));
  const { settings, categories } = await portalChanges(deps, input);
  const whole: WholePlan = {
    pipeline: input.route.name,
    stage: input.stage,
    release: input.release.sha256,
    groups,
    settings,
    categories,
  };
  const summary = await keepPlan(deps, input, reading, whole, rows);
  return {
    plan: { ...summary, ...figures },
    changes: [...(settings?.changes ?? []), ...(categories?.changes ?? [])],
  };
}

async function* readPlans(
  { store }: ActivityDeps,
  { runId, groups }: PromotionInput,
  planned: readonly PlannedGroup[],
): AsyncGenerator<GroupPlan> {
  for (const { index, ref } of planned) {
    const { name, groupId } = groups[index] ?? { name: '', groupId: '' };
    const own = isPlanOf(ref, runId) ? await store.readJson(ref, plan) : undefined;
    if (!own?.sha256)
      throw new PortolanError('INTERNAL', `the plan of group "${name}" is missing from the store`);
    yield { name, groupId, sha256: own.sha256, plan: own };
  }
}

const isPlanOf = (ref: string, runId: string): boolean => {
  const [top, part = ''] = ref.split('/');
  return top === 'runs' && wholeOfPart(part) === runId;
};

/** What is rolled back of a stage, and what that restores. */
interface WayBack {
  readonly plan: PlanSummary;
  readonly changes: FieldChange[];
  readonly undone: UndoneGroup[];
  readonly undoes: { runId: string; to?: string };
  readonly portal: Pick<PromotionEntry, 'settings' | 'categories'>;
  readonly warnings: string[];
}

interface UndoneGroup {
  readonly index: number;
  readonly runId: string;
  readonly safeguard?: string;
}

/** Plans the rollback of a stage, by the runs that imported each group and their safeguards. */
export async function planWayBack(deps: ActivityDeps, { runId }: { runId: string }): Promise<WayBack> {
  const { promotions } = deps.snapshots.releases;
  const input = await signedPromotion(deps, runId);
  const entries = await promotions.entries(input.route.name, input.stage);
  const entry = entries.findLast((each) => each.runId === input.undoes && each.kind === 'promoted');
  if (!entry) throw promotionRefused(`the results of ${input.undoes ?? ''} are no longer known`);
  const [groups, undone, gone]: [WholePlan['groups'], UndoneGroup[], string[]] = [[], [], []];
  const [rows, warnings]: [PlanRow[], string[]] = [[], []];
  for (const group of entry.groups) {
    const undo = await undoOfGroup(deps, input, group);
    if (rows.length < ROWS_MAX) rows.push(...undo.rows);
    groups.push(undo.group);
    undone.push(undo.undone);
    warnings.push(...undo.warnings);
    const { safeguard } = undo.undone;
    if (safeguard !== undefined && !(await deps.snapshots.find(safeguard))) gone.push(safeguard);
    progress({ groups: groups.length });
  }
  if (gone.length > 0)
    throw promotionRefused(
      `the earlier content is no longer in the store: ${gone.slice(0, NAMED_MAX).join(', ')}`,
    );
  const { pipeline, stage, sha256: release, settings, categories } = entry;
  const whole: WholePlan = { pipeline, stage, release, undoes: entry.runId, groups };
  const standings = standingsOf(entries);
  const to = standings[standings.findIndex((each) => each.entry?.runId === entry.runId) - 1]?.release;
  return {
    plan: await keepPlan(deps, input, 1, whole, rows),
    changes: await undoneChanges(deps, { settings, categories }),
    undone,
    undoes: { runId: entry.runId, to },
    portal: { settings, categories },
    warnings,
  };
}

/** Plans the rollback of one group, by the record and plan of the run that imported it. */
async function undoOfGroup(
  deps: ActivityDeps,
  input: PromotionInput,
  group: PromotionEntry['groups'][number],
): Promise<{ group: WholePlan['groups'][number]; rows: PlanRow[]; undone: UndoneGroup; warnings: string[] }> {
  const { store } = deps;
  const { name, runId } = group;
  const index = input.groups.findIndex((each) => each.name === name);
  const record = await store.readJson(keys.record(runId), runRecord);
  if (!record || index < 0) throw promotionRefused(`the record of ${runId} is no longer in the store`);
  const { groupId } = input.groups[index] ?? {};
  if (groupId !== group.groupId)
    throw promotionRefused(
      `group "${name}" of ${input.stage} was ${group.groupId} then and is ${groupId ?? 'none'} now; saved items are not restored into another group`,
    );
  const { ref, sha256 = '' } = record.plan ?? {};
  const carriedOut = ref === undefined ? undefined : await store.readJson(ref, plan);
  if (!carriedOut) throw promotionRefused(`the plan of ${runId} is no longer in the store`);
  const edited = input.overwriteEdits ? [] : await editedOf(deps, input, runId);
  const isKept = new Set(edited.map(({ id }) => id));
  const noted = await store.readJson(keys.created(runId), createdItems);
  const snapshotId = record.safeguard?.id;
  const overwritten = carriedOut.rows.filter(
    ({ action, itemId }) => action === 'overwrite' && !isKept.has(itemId),
  );
  const changes =
    snapshotId === undefined ? undefined : await changesTo(deps, input, { groupId, snapshotId, overwritten });
  const undo = { undone: runId, isKept, noted, changes, snapshotId };
  const rows = promotionUndoRows(carriedOut.rows, undo);
  return {
    rows: rows.map((row) => ({ ...row, of: name })),
    group: {
      ...group,
      sha256,
      ...countActions(rows),
      edited: edited.length > 0 ? [...isKept] : undefined,
      changes: hashOfChanges(rows),
    },
    undone: { index, runId, safeguard: snapshotId },
    warnings: edited.map(({ id, title = id }) => `group "${name}": ${title} (${id}) ${editedSince(runId)}`),
  };
}

interface Returning {
  readonly groupId: string;
  readonly snapshotId: string;
  readonly overwritten: readonly PlanRow[];
}

/** What changes in items of the stage that return to what a safeguard holds, by their IDs. */
async function changesTo(
  deps: ActivityDeps,
  { route }: PromotionInput,
  { groupId, snapshotId, overwritten }: Returning,
): Promise<ReadonlyMap<string, Change> | undefined> {
  const { portal: name } = route.target;
  const portal = deps.portals.open(name);
  // Without it the rollback is refused.
  if (overwritten.length === 0 || !(await deps.snapshots.find(snapshotId))) return undefined;
  const { username, fullAdmin } = await readPortalFacts(portal, stoppable());
  const target = { username, fullAdmin };
  const comparison = await compareWithSafeguard(deps, name, { target, groupId, snapshotId });
  const listed = await listGroup(portal, groupId);
  const changes = await countEach(overwritten, async ({ itemId, type }) => {
    const held = listed.get(itemId);
    const item = { itemId, type, held: held ?? { type }, inGroup: held !== undefined };
    return [itemId, await comparison.changeOf(item)] as const;
  });
  return new Map(changes);
}

/** What someone has edited on the stage since a run overwrote it. */
async function editedOf(
  { portals, store }: ActivityDeps,
  { route }: PromotionInput,
  runId: string,
): Promise<Item[]> {
  const at = { store, portal: portals.open(route.target.portal) };
  const left = await ItemsAsLeft.of(runId, at);
  const edited = await countEach(left.ids, (itemId) => left.edited(itemId));
  return edited.filter((each) => each !== undefined);
}

/** Saves a plan in the store, for approval and for people. */
async function keepPlan(
  { store }: ActivityDeps,
  { runId, groups: [first] }: PromotionInput,
  reading: number,
  planned: WholePlan,
  rows: PlanRow[],
): Promise<PlanSummary> {
  const whole = wholePlan.parse(planned);
  const sha256 = hashOfJson(whole);
  await store.writeJson(keys.wholePlan(runId, sha256), whole);
  const ref = keys.plan(runId, reading);
  const hash = shortHash(sha256);
  const shown: Plan = {
    hash,
    sha256,
    packages: [],
    targetGroupId: first?.groupId ?? '',
    arrivedLater: 0,
    readAt: timestamp(),
    rows: boundFields(rows),
  };
  await store.writeJson(ref, shown);
  return { ...countsOf(whole), ...comparedFigures(rows), extra: 0, arrivedLater: 0, hash, sha256, ref };
}
