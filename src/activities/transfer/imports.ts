import { notAuthentic } from '../../domain/control/control';
import type { PortalFacts, RunOnPlan } from '../../domain/transfer/portal-facts';
import { SETTLE_MS } from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import type { Plan } from '../../model/transfer/plan';
import { importGroup } from '../../portal/resources/group-import';
import { findItem, readItem } from '../../portal/resources/items/items';
import { keys, ofPart } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { lastError, lastProgress, progress, activityTime } from '../attempt/heartbeat';
import { type Intent, postOnce, type Request } from '../attempt/post-once';
import { planHash } from '../../domain/transfer/plan';
import { HeldItems, openWrite } from './open-write';
import { readMoved, importedRows, readPlanFile, readIds } from './plan/stored-lists';
import { listGroup } from '../../portal/resources/groups';
import { countEach } from '../attempt/each-item';
import type { Portal } from '../../portal/client';
import type { Store } from '../../store/store';
import { hashOfText } from '../../domain/snapshot/hashing';
import { type JobHandle, jobLists } from '../../model/transfer/job';
import type { ResultLists, StartedJob } from '../../portal/http/transfer-answer';
import { notYet } from '../attempt/failure';
import { sealJob } from './jobs';

/** Only created and overwritten items of the approved plan are imported. */
export interface StartImport extends RunOnPlan {
  readonly packageItemId: string;
  /** Number of the run's import, from 1: a later one needs a person's decision. */
  readonly round: number;
  /** Index of the package, from 0. */
  readonly packageIndex: number;
}

/** Checks that the approved plan is for this package, group, folder and options. */
function requireAsPlanned({ packageItemId, route, packageIndex }: StartImport, plan: Plan): void {
  const { target, options } = route;
  const { sha256, rows, packages, mapped } = plan;
  const isPlanned =
    packages[packageIndex]?.itemId === packageItemId &&
    plan.targetGroupId === target.groupId &&
    sha256 === planHash(packages, target, options, rows, mapped?.map);
  if (!isPlanned) throw notAuthentic(`the import does not match plan ${plan.hash}`);
}

const intentName = ({ round, packageIndex }: StartImport): string => `import-${round}${ofPart(packageIndex)}`;

/**
 * Starts the import, once. A repeat checks what the first request did: a missing package means it finished, changing
 * items mean wait, and no change for `SETTLE_MS` throws IMPORT_UNDECIDED. It never sends a second request.
 */
export async function startImport(deps: ActivityDeps, input: StartImport): Promise<ImportStarted> {
  const { runId, packageIndex } = input;
  return await postOnce<ImportAnswer, ImportStarted>(deps, {
    runId,
    name: intentName(input),
    look: (noted) => findImport(deps, input, noted),
    prepare: () => prepareImport(deps, input),
    keep: (answer, { at: startedAt }) => importStarted(deps, answer, { runId, startedAt, packageIndex }),
  });
}

async function prepareImport(
  deps: ActivityDeps,
  input: StartImport,
): Promise<Request<ImportAnswer> | { readonly answer: ImportStarted }> {
  const { store } = deps;
  const { runId, route, target, packageIndex } = input;
  const { portal, plan } = await openWrite(deps, input, { requireFit: (of) => requireAsPlanned(input, of) });
  const desired = importedRows(plan).filter((row) => row.packageIndex === packageIndex);
  // Lists of an earlier import of the run do not apply to this one.
  await store.remove(keys.jobLists(runId, 'import', packageIndex));
  // An empty list would mean everything in the package.
  if (desired.length === 0) {
    await store.writeJson(keys.jobLists(runId, 'import', packageIndex), {
      done: [],
      skipped: [],
      failed: [],
    });
    return { answer: { kind: 'ended', lists: 'known' } };
  }
  if (desired.some(({ action }) => action === 'overwrite'))
    (await HeldItems.from(runId, target, deps)).requireNone(desired);
  const creates = desired.filter(({ action }) => action === 'create');
  await noteAbsent(
    { store, portal, runId },
    creates.map(({ itemId }) => itemId),
  );
  const request = {
    itemId: input.packageItemId,
    itemIdList: desired.map((row) => row.itemId),
    overwriteExistingItems: desired.some((row) => row.action === 'overwrite'),
    async: true,
    folderId: route.target.folderId,
    folderOwnerUsername: route.target.folderOwner,
    keepPackageItemAfterImport: route.options.keepPackages || undefined,
    version: target.release,
  };
  return { send: (options) => importGroup(portal, route.target.groupId, request, options) };
}

async function findImport(
  { portals }: ActivityDeps,
  { route, target, packageItemId }: StartImport,
  noted: Intent,
): Promise<ImportStarted> {
  const portal = portals.open(target.name);
  const watched = { portal, groupId: route.target.groupId, packageItemId };
  if ((await importSeen(watched, noted, 'the import')) === 'finished')
    return { kind: 'ended', lists: 'unknown' };
  throw new PortolanError(
    'IMPORT_UNDECIDED',
    `the response to the import was lost; on ${portal.name} the package still exists and nothing changed for ${SETTLE_MS / 1000} s`,
    { portal: portal.name },
  );
}

interface LookAtTarget extends RunOnPlan {
  /** Whether an import of the run may have begun. */
  readonly hasBegun: boolean;
}

/**
 * Counts what changed on the target since the plan was read, which shows whether a failed job changed anything. Saves
 * it if an import may have begun, so that a later import of the run does not mistake its own changes for another's.
 */
export async function lookAtTarget(
  { portals, store }: ActivityDeps,
  { runId, route, target, planRef, hasBegun }: LookAtTarget,
): Promise<{ changed: number; of: number }> {
  const desired = importedRows(await readPlanFile(store, planRef));
  const now = await listGroup(portals.open(target.name), route.target.groupId);
  const changed = desired.filter((row) => {
    const held = now.get(row.itemId);
    return held !== undefined && (row.action === 'create' || held.modified !== row.target?.modified);
  });
  if (hasBegun) {
    const seen = changed.map(({ itemId }) => [itemId, now.get(itemId)?.modified ?? null] as const);
    await store.writeJson(keys.movedBefore(runId), {
      ...(await readMoved(store, runId)),
      ...Object.fromEntries(seen),
    });
  }
  return { changed: changed.length, of: desired.length };
}

/** Whether an item can be read: a package missing from the target was imported, or deleted. */
export async function findPackage(
  { portals }: ActivityDeps,
  { portal, itemId }: { readonly portal: PortalFacts; readonly itemId: string },
): Promise<{ isThere: boolean; sizeBytes?: number }> {
  const found = await findItem(portals.open(portal.name), itemId);
  return { isThere: found !== undefined, sizeBytes: found?.size };
}

/**
 * Records which of the items to be created do not exist on the target, so that an existing item never counts as created
 * by the run. Keeps what earlier imports of the run recorded about other items.
 */
async function noteAbsent(
  { store, portal, runId }: { readonly store: Store; readonly portal: Portal; readonly runId: string },
  itemIds: readonly string[],
): Promise<void> {
  const absent = await countEach(itemIds, async (itemId) =>
    (await isMissing(portal, itemId)) ? [itemId] : [],
  );
  const before = await absentBefore(store, runId);
  for (const itemId of itemIds) before.delete(itemId);
  await store.writeJson(keys.absentBefore(runId), [...before, ...absent.flat()]);
}

/** IDs of items that did not exist on the target immediately before a run's import created them. */
export const absentBefore = (store: Store, runId: string): Promise<Set<string>> =>
  readIds(store, keys.absentBefore(runId));

async function isMissing(portal: Portal, itemId: string): Promise<boolean> {
  try {
    await readItem(portal, itemId);
    return false;
  } catch (thrown) {
    // An unreadable item may exist. It is imported, but does not count as created by the run.
    return lastError(thrown).code === 'ITEM_NOT_FOUND';
  }
}

const LOOK_AGAIN_MS = 5_000;

/** How long the target has not changed; kept in the heartbeat. */
interface Watching {
  /** `id` is that of the request whose response was lost. */
  readonly stillness: { readonly id: string; readonly fingerprint: string; readonly since: number };
}

/**
 * What a request whose response was lost did, as the target shows it: an import deletes its package at its end.
 * `still`: nothing has changed for `SETTLE_MS`. Throws "not yet" until either is certain.
 */
export async function importSeen(
  {
    portal,
    groupId,
    packageItemId,
  }: { readonly portal: Portal; readonly groupId: string; readonly packageItemId: string },
  { id }: Pick<Intent, 'id'>,
  what: string,
): Promise<'finished' | 'still'> {
  if (!(await findItem(portal, packageItemId))) return 'finished';
  const listed = await listGroup(portal, groupId);
  const facts = [...listed.values()].map((item) => `${item.id} ${item.modified ?? ''}`).sort();
  // Changes whenever an item of the target group changes.
  const fingerprint = hashOfText(facts.join('\n'));
  const { stillness: last } = lastProgress<Watching>();
  // Later readings are compared with the first one after the lost response.
  const since = last?.id === id && last.fingerprint === fingerprint ? last.since : activityTime();
  progress({ stillness: { id, fingerprint, since } });
  if (activityTime() - since >= SETTLE_MS) return 'still';
  throw notYet(`the response to ${what} was lost; watching the target instead`, LOOK_AGAIN_MS);
}

/** A portal's response to an import. */
type ImportAnswer = StartedJob | ResultLists;

/** `ended`: the portal did the work at once, or is known to have done it although its response was lost. */
export type ImportStarted =
  | (JobHandle & { readonly startedAt: number })
  | { readonly kind: 'ended'; readonly lists: 'known' | 'unknown' };

/** An import's response for history: the job key sealed, the lists in the store. */
export async function importStarted(
  deps: Pick<ActivityDeps, 'store' | 'openControl'>,
  answer: ImportAnswer,
  { runId, startedAt, packageIndex }: { runId: string; startedAt: number; packageIndex: number },
): Promise<ImportStarted> {
  if (answer.kind === 'job') return { ...(await sealJob(deps, runId, answer)), startedAt };
  const lists = jobLists.parse(answer);
  await deps.store.writeJson(keys.jobLists(runId, 'import', packageIndex), lists);
  return { kind: 'ended', lists: 'known' };
}
