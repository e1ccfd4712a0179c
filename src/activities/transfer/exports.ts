import { basis } from '../../domain/snapshot/basis';
import { exportGroup, exportSince } from '../../portal/resources/group-export';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { EXPORT_ROUNDS_MAX, SETTLE_MS } from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import type { JobHandle, ListSizes } from '../../model/transfer/job';
import { jobLists, sizesOf } from '../../model/transfer/job-lists';
import { type RequestedItem, requestedItem } from '../../model/transfer/requested';
import type { ItemList } from '../../model/transfer/route';
import { keys, ofPart } from '../../store/keys';
import type { ExportedPackage } from '../../portal/http/transfer-answer';
import { atLeast } from '../../portal/http/versions';
import type { ActivityDeps } from '../deps';
import { notYet } from '../attempt/failure';
import { stopSignal } from '../attempt/heartbeat';
import { IntentFile, type Intent } from '../attempt/intent';
import { exportName, hasName, packagesOf, tagPackage } from '../../domain/transfer/own-packages';
import { readPages, readPlanFile } from './plan/stored-lists';
import { sealKey } from '../run/sealed-key';
import { serverTime } from '../attempt/clock';

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
  /** Index of the run's package. @default 0 */
  readonly part?: number;
  /** How often a person decided to continue; each decision allows another request. @default 0 */
  readonly decisions?: number;
  /** Number of the run's safeguard: each changed plan needs a new one. @default 1 */
  readonly round?: number;
}

/** An export that ended without a package. */
export type NothingExported = ListSizes & { readonly kind: 'nothing' };

/** The result of an export request: a job, a package at once, or none. */
export type ExportStarted =
  | (JobHandle & { readonly startedAt: number })
  | { readonly kind: 'package'; readonly packageItemId: string }
  | NothingExported;

export function createExportActivities({ portals, store, openControl }: ActivityDeps) {
  /** New packages since the export was requested, which it may have made. */
  async function freshPackages(noted: Intent, input: StartExport): Promise<string[]> {
    const { name } = input.portal;
    const now = await packagesOf(portals.open(name), requireUser(input.portal), { signal: stopSignal() });
    const fresh = now.filter(({ id }) => !noted.seen.includes(id));
    // Newer portals accept a name for the package. On older ones any new package of this account may be it.
    const desired = exportName(input.runId, input.purpose, input.round, input.part);
    return fresh
      .filter(({ item }) => !canName(input.portal) || hasName(item.title ?? '', desired))
      .map(({ id }) => id);
  }

  async function adopt(intents: IntentFile, noted: Intent, packageItemId: string): Promise<ExportStarted> {
    const answer: ExportStarted = { kind: 'package', packageItemId };
    await intents.write({ ...noted, answer });
    return answer;
  }

  /** The response to the export was lost: adopts its package if there is exactly one candidate. */
  async function look(
    intents: IntentFile,
    noted: Intent,
    input: StartExport,
  ): Promise<ExportStarted | 'post-again'> {
    const { name, username } = input.portal;
    const ours = await freshPackages(noted, input);
    const [only] = ours;
    if (only && ours.length === 1) return await adopt(intents, noted, only);
    if (ours.length > 1) {
      throw new PortolanError(
        'EXPORT_UNDECIDED',
        `the response to the export was lost, and ${name} has ${ours.length} new packages of ${username}: ${ours.join(', ')}`,
        { portal: name },
      );
    }
    const waited = serverTime() - noted.at;
    if (waited < SETTLE_MS)
      throw notYet(
        'the response to the export was lost; looking for its package',
        Math.min(5_000, SETTLE_MS - waited),
      );
    if (noted.round >= EXPORT_ROUNDS_MAX + (input.decisions ?? 0)) {
      throw new PortolanError(
        'EXPORT_UNDECIDED',
        `the response to the export was lost ${noted.round} times, and no package appeared on ${name}`,
        { portal: name },
      );
    }
    return 'post-again';
  }

  /** A portal that exports at once responds 400 if it made the package but cannot send it as JSON. */
  async function madeAllTheSame(
    thrown: unknown,
    intent: Intent,
    input: StartExport,
  ): Promise<ExportedPackage> {
    if (PortolanError.from(thrown).facts.httpStatus !== 400) throw thrown;
    const [itemId, ...others] = await freshPackages(intent, input).catch((unread: unknown) => {
      // The package may exist: the next attempt looks for it before exporting.
      throw notYet(
        `Portolan cannot tell what the export created: ${PortolanError.from(unread).plainMessage}`,
        1_000,
      );
    });
    if (itemId === undefined || others.length > 0) throw thrown;
    return { kind: 'package', itemId };
  }

  return {
    /** Starts the export of a group, once: a repeat looks for what the first attempt started. */
    async startExport(input: StartExport): Promise<ExportStarted> {
      const portal = portals.open(input.portal.name);
      const intents = new IntentFile(store, input.runId, intentName(input));
      const noted = await intents.read();
      if (noted?.answer) return noted.answer as ExportStarted;
      if (noted) {
        const found = await look(intents, noted, input);
        if (found !== 'post-again') return found;
      }
      const items = input.planRef ? await overwritten(input.planRef, input.part) : await exportable(input);
      // An empty list would mean the whole group.
      if (items?.length === 0) return { kind: 'nothing', done: 0, skipped: 0, failed: 0 };
      // The first export with a name is recognized by it in any folder, so folders need not be listed.
      const where = canName(input.portal) && !noted ? 'root' : 'everywhere';
      const own = await packagesOf(portal, requireUser(input.portal), { signal: stopSignal() }, where);
      const seen = own.map(({ id }) => id);
      const startedAt = serverTime();
      const intent: Intent = { at: startedAt, round: (noted?.round ?? 0) + 1, seen };
      const request = {
        itemIdList: items,
        outputFilename: exportName(input.runId, input.purpose, input.round, input.part),
        exportContentFolderId: '/',
        async: true,
        version: input.portal.release,
      };
      const answer = await intents.post(intent, (options) =>
        exportGroup(portal, input.groupId, request, options).catch((thrown: unknown) =>
          madeAllTheSame(thrown, intent, input),
        ),
      );
      const started = await keep(answer, input, startedAt);
      await intents.write({ ...intent, answer: started });
      return started;
    },

    /** Tags an export's package as Portolan's. Best effort: returns a warning on failure. */
    async tagPackage(input: MadePackage): Promise<string | undefined> {
      return await markAsOurs(portals, input);
    },
  };

  /** The requested items an export takes; undefined for the whole group. */
  async function exportable(input: StartExport): Promise<string[] | undefined> {
    const { runId, items, itemList, leavesOut, part: desired = 0 } = input;
    const isWhole = !items && !itemList;
    if (isWhole && !leavesOut) return undefined;
    const requested = await readPages(store, keys.requested(runId), requestedItem);
    const taken = await store.readJson(keys.basis(runId), basis);
    const lain = new Set(taken?.rows.map(({ itemId }) => itemId));
    const stays = ({ itemId, excluded, same }: RequestedItem): boolean =>
      excluded === true || same !== undefined || lain.has(itemId);
    if (isWhole && !requested.some((item) => stays(item) || item.part)) return undefined;
    return requested
      .filter((item) => item.skip === undefined && !stays(item) && (item.part ?? 0) === desired)
      .map((item) => item.itemId);
  }

  async function overwritten(planRef: string, desired = 0): Promise<string[]> {
    const plan = await readPlanFile(store, planRef);
    return plan.rows
      .filter(({ action, target, part = 0 }) => action === 'overwrite' && target?.inGroup && part === desired)
      .map((row) => row.itemId);
  }

  async function keep(
    answer: Awaited<ReturnType<typeof exportGroup>>,
    input: StartExport,
    startedAt: number,
  ): Promise<ExportStarted> {
    switch (answer.kind) {
      case 'job': {
        const sealedKey = answer.key && sealKey(await openControl(), input.runId, answer.key);
        return { kind: 'job', jobId: answer.jobId, sealedKey: sealedKey || undefined, startedAt };
      }
      case 'package':
        return { kind: 'package', packageItemId: answer.itemId };
      case 'lists': {
        const lists = jobLists.parse({
          done: answer.exported,
          skipped: answer.skipped,
          failed: answer.failed,
        });
        await store.writeJson(keys.jobLists(input.runId, input.purpose, input.part), lists);
        return { kind: 'nothing', ...sizesOf(lists) };
      }
    }
  }
}

/** The account that made a package item, and its portal. */
export type Maker = Pick<PortalFacts, 'name' | 'release' | 'username'>;

/** A package item a run made. */
interface MadePackage {
  readonly runId: string;
  readonly portal: Maker;
  readonly itemId: string;
}

/** Tags it as Portolan's. Best effort: returns a warning on failure. */
export async function markAsOurs(
  portals: ActivityDeps['portals'],
  { runId, portal, itemId }: MadePackage,
): Promise<string | undefined> {
  const owner = requireUser(portal);
  try {
    await tagPackage(portals.open(portal.name), { owner, itemId, runId }, { signal: stopSignal() });
    return undefined;
  } catch (thrown) {
    // A named package is recognized by its name.
    if (canName(portal)) return undefined;
    return `the package ${itemId} on ${portal.name} could not be tagged: ${PortolanError.from(thrown).plainMessage}`;
  }
}

/** The signed-in account; a preflight check refuses portals without one. */
export function requireUser(facts: Pick<PortalFacts, 'name' | 'username'>): string {
  if (facts.username) return facts.username;
  throw new PortolanError('NO_USER', `no user is signed in on ${facts.name}`, { portal: facts.name });
}

/** Whether the portal accepts a name for an export's package. */
const canName = ({ release }: Pick<PortalFacts, 'release'>): boolean =>
  atLeast(release, exportSince.outputFilename);

const intentName = ({ purpose, round = 1, part }: StartExport): string =>
  `${purpose}-${round}${ofPart(part)}`;
