import { exportGroup } from '../../portal/resources/group-export';
import { type PortalFacts, requireUser } from '../../domain/transfer/portal-facts';
import { EXPORT_ROUNDS_MAX, SETTLE_MS } from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import { type JobHandle, type ListSizes, jobLists, sizesOf } from '../../model/transfer/job';
import type { ItemList } from '../../model/transfer/route';
import { keys, ofPart } from '../../store/keys';
import type { ExportedPackage } from '../../portal/http/transfer-answer';
import type { ActivityDeps } from '../deps';
import { notYet } from '../attempt/failure';
import { type Intent, postOnce, type Request } from '../attempt/post-once';
import { exportName, hasName, packagesOf } from '../../domain/transfer/own-packages';
import { readGoing, readPlanFile, readRequested } from './plan/stored-lists';
import { sealJob, canName, markAsOurs } from './jobs';
import { activityTime } from '../attempt/heartbeat';

export interface StartExport {
  readonly runId: string;
  readonly purpose: 'export' | 'safeguard';
  readonly portal: PortalFacts;
  readonly groupId: string;
  /** Only these; a safeguard exports what its plan overwrites instead. @default the whole group */
  readonly items?: readonly string[];
  /** Only these, as part of a stored list. */
  readonly itemList?: ItemList;
  /** Some requested items are left out. @default false */
  readonly leavesOut?: boolean;
  /** Key of the plan whose overwritten items to save. */
  readonly planRef?: string;
  /** Index of the package, from 0. */
  readonly packageIndex: number;
  /** How often a person decided to continue; each decision allows another request. */
  readonly decisions: number;
  /** From 1: a split package is exported again, and each changed plan needs a new safeguard. */
  readonly round: number;
}

/** An export that ended without a package. */
export type NothingExported = ListSizes & { readonly kind: 'nothing' };

type ExportAnswer = Awaited<ReturnType<typeof exportGroup>>;

/** The result of an export request: a job, a package at once, or none. */
export type ExportStarted =
  | (JobHandle & { readonly startedAt: number })
  | {
      readonly kind: 'package';
      readonly packageItemId: string;
      readonly startedAt: number;
      /** Why it could not be tagged as created by Portolan. */
      readonly unmarked?: string;
    }
  | NothingExported;

/** Starts the export of a group, once: a repeat looks for what the first attempt started. */
export async function startExport(deps: ActivityDeps, input: StartExport): Promise<ExportStarted> {
  const { runId, portal } = input;
  const started = await postOnce<ExportAnswer, ExportStarted>(deps, {
    runId,
    name: intentName(input),
    look: (noted) => findPackage(deps, input, noted),
    prepare: (noted) => prepareExport(deps, input, noted),
    keep: (answer, { at }) => keepExport(deps, input, answer, at),
  });
  if (started.kind !== 'package') return started;
  // Without a job, no poll tags the package.
  return { ...started, unmarked: await markAsOurs(deps, { runId, portal, itemId: started.packageItemId }) };
}

/** The items to export; undefined for the whole group. */
async function itemsToExport(
  { store }: ActivityDeps,
  { runId, items, itemList, leavesOut, planRef, packageIndex: desired }: StartExport,
): Promise<string[] | undefined> {
  if (planRef) {
    const { rows } = await readPlanFile(store, planRef);
    return rows
      .filter(
        ({ action, target, packageIndex }) =>
          action === 'overwrite' && target?.inGroup && packageIndex === desired,
      )
      .map((row) => row.itemId);
  }
  const isWhole = !items && !itemList;
  if (isWhole && !leavesOut) return undefined;
  const requested = await readRequested(store, runId);
  const going = await readGoing(store, runId, requested);
  const ids = going.flatMap(({ itemId, packageIndex: index }) => (index === desired ? itemId : []));
  // Only items that the portal itself skips are missing.
  const skipped = requested.filter(({ skip, excluded, same }) => skip !== undefined && !excluded && !same);
  return isWhole && ids.length + skipped.length === requested.length ? undefined : ids;
}

async function prepareExport(
  deps: ActivityDeps,
  input: StartExport,
  noted: Intent | undefined,
): Promise<Request<ExportAnswer> | { readonly answer: ExportStarted }> {
  const items = await itemsToExport(deps, input);
  // An empty list would mean the whole group.
  if (items?.length === 0) return { answer: { kind: 'nothing', done: 0, skipped: 0, failed: 0 } };
  const { runId, purpose, round, packageIndex, portal: facts, groupId } = input;
  const portal = deps.portals.open(facts.name);
  // The first export with a name is recognized by it in any folder, so folders need not be listed.
  const where = canName(facts) && !noted ? 'root' : 'everywhere';
  const own = await packagesOf(portal, requireUser(facts), {}, where);
  const request = {
    itemIdList: items,
    outputFilename: exportName(runId, purpose, round, packageIndex),
    exportContentFolderId: '/',
    async: true,
    version: facts.release,
  };
  return {
    seen: own.map(({ id }) => id),
    send: (options, intent) =>
      exportGroup(portal, groupId, request, options).catch((thrown: unknown) =>
        madeAllTheSame(deps, input, intent, thrown),
      ),
  };
}

/** The response to the export was lost: adopts its package if there is exactly one candidate. */
async function findPackage(
  deps: ActivityDeps,
  input: StartExport,
  noted: Intent,
): Promise<ExportStarted | 'again'> {
  const { name, username } = input.portal;
  const ours = await freshPackages(deps, input, noted);
  const [only] = ours;
  if (only && ours.length === 1) return { kind: 'package', packageItemId: only, startedAt: noted.at };
  if (ours.length > 1) {
    throw new PortolanError(
      'EXPORT_UNDECIDED',
      `the response to the export was lost, and ${name} has ${ours.length} new packages of ${username}: ${ours.join(', ')}`,
      { portal: name },
    );
  }
  const waited = activityTime() - noted.at;
  if (waited < SETTLE_MS)
    throw notYet(
      'the response to the export was lost; looking for its package',
      Math.min(5_000, SETTLE_MS - waited),
    );
  if (noted.round >= EXPORT_ROUNDS_MAX + input.decisions) {
    throw new PortolanError(
      'EXPORT_UNDECIDED',
      `the response to the export was lost ${noted.round} times, and no package appeared on ${name}`,
      { portal: name },
    );
  }
  return 'again';
}

/** A portal that exports at once responds 400 if it made the package but cannot send it as JSON. */
async function madeAllTheSame(
  deps: ActivityDeps,
  input: StartExport,
  intent: Intent,
  thrown: unknown,
): Promise<ExportedPackage> {
  if (PortolanError.from(thrown).facts.httpStatus !== 400) throw thrown;
  const [itemId, ...others] = await freshPackages(deps, input, intent).catch((unread: unknown) => {
    // The package may exist: the next attempt looks for it before exporting.
    throw notYet(
      `Portolan cannot tell what the export created: ${PortolanError.from(unread).plainMessage}`,
      1_000,
    );
  });
  if (itemId === undefined || others.length > 0) throw thrown;
  return { kind: 'package', itemId };
}

/** New packages since the export was requested, which it may have made. */
async function freshPackages(
  { portals }: ActivityDeps,
  { runId, purpose, round, packageIndex, portal }: StartExport,
  { seen }: Intent,
): Promise<string[]> {
  const now = await packagesOf(portals.open(portal.name), requireUser(portal));
  // Newer portals accept a name for the package. On older ones any new package of this account may be it.
  const desired = exportName(runId, purpose, round, packageIndex);
  return now
    .filter(({ id }) => !seen.includes(id))
    .filter(({ item }) => !canName(portal) || hasName(item.title ?? '', desired))
    .map(({ id }) => id);
}

async function keepExport(
  deps: ActivityDeps,
  { runId, purpose, packageIndex }: StartExport,
  answer: ExportAnswer,
  startedAt: number,
): Promise<ExportStarted> {
  switch (answer.kind) {
    case 'job':
      return { ...(await sealJob(deps, runId, answer)), startedAt };
    case 'package':
      return { kind: 'package', packageItemId: answer.itemId, startedAt };
    case 'lists': {
      const lists = jobLists.parse(answer);
      await deps.store.writeJson(keys.jobLists(runId, purpose, packageIndex), lists);
      return { kind: 'nothing', ...sizesOf(lists) };
    }
  }
}

const intentName = ({ purpose, round, packageIndex }: StartExport): string =>
  `${purpose}-${round}${ofPart(packageIndex)}`;
