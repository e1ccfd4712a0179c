import { z } from 'zod';
import { notAuthentic } from '../../domain/control/control';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { SETTLE_MS } from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import { planIdentity } from '../../model/transfer/plan-hash';
import type { Plan } from '../../model/transfer/plan';
import type { Route } from '../../model/transfer/route';
import { importGroup } from '../../portal/resources/group-import';
import { findItem } from '../../portal/resources/items/items';
import { keys, ofPart } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { stopSignal } from '../attempt/heartbeat';
import { HeldItems } from './plan/held-items';
import { noteAbsent } from './absent-before';
import {
  importIntent,
  importSeen,
  type ImportStarted,
  importStarted,
  type WatchedImport,
} from './import-watch';
import { type Intent, IntentFile } from '../attempt/intent';
import { packagesHash, planHash } from './plan/plan-building';
import { importedRows, readPlanFile, requireOwnPlan } from './plan/stored-lists';
import { listGroup } from '../../portal/resources/groups';

export interface StartImport {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
  readonly packageItemId: string;
  /** Key of the approved plan: only its created and overwritten items are imported. */
  readonly planRef: string;
  /** Number of the run's import: a later one needs a person's decision. @default 1 */
  readonly round?: number;
  /** Index of the plan's package. @default 0 */
  readonly part?: number;
}

/** Checks that the approved plan is for this package, group, folder and options. */
function requireAsPlanned({ packageItemId, route, part = 0 }: StartImport, plan: Plan): void {
  const { target, options } = route;
  const { sha256, rows, previewId, further = [], mapped } = plan;
  const isPlanned =
    [previewId, ...further.map((each) => each.previewId)][part] === packageItemId &&
    plan.targetGroupId === target.groupId &&
    (sha256 === undefined || sha256 === planHash(packagesHash(plan), target, options, rows, mapped?.map));
  if (!isPlanned) throw notAuthentic(`the import does not match plan ${plan.hash}`);
}

const intentName = ({ round = 1, part }: StartImport): string =>
  `import${round > 1 ? `-${round}` : ''}${ofPart(part)}`;

export function createImportActivities({ portals, store, authority, openControl }: ActivityDeps) {
  return {
    /**
     * Starts the import, once. A repeat checks what the first request did: a missing package means it finished, changing
     * items mean wait, and no change for `SETTLE_MS` throws IMPORT_UNDECIDED. It never sends a second request.
     */
    async startImport(input: StartImport): Promise<ImportStarted> {
      const intents = new IntentFile(store, input.runId, intentName(input));
      const noted = await intents.read();
      if (noted?.answer) return noted.answer as ImportStarted;
      if (noted) return await look(intents, noted, input);

      const { route, target } = input;
      const portal = portals.open(target.name);
      requireOwnPlan(input.runId, input.planRef);
      const plan = await readPlanFile(store, input.planRef);
      requireAsPlanned(input, plan);
      const into = { portal: target.name, groupId: route.target.groupId };
      await authority.require(input.runId, { target: into, plan: planIdentity(plan) });
      const desired = importedRows(plan).filter(({ part = 0 }) => part === (input.part ?? 0));
      // An empty list would mean everything in the package.
      if (desired.length === 0) return await nothingToImport(input);
      if (desired.some(({ action }) => action === 'overwrite'))
        (await HeldItems.from(input.runId, target, { portals, authority })).requireNone(desired);
      const creates = desired.filter(({ action }) => action === 'create');
      await noteAbsent(
        { store, portal, runId: input.runId },
        creates.map(({ itemId }) => itemId),
      );
      const intent = importIntent();
      // Lists of an earlier import of the run do not apply to this one.
      await store.remove(keys.jobLists(input.runId, 'import', input.part));
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
      const answer = await intents.post(intent, (options) =>
        importGroup(portal, route.target.groupId, request, options),
      );
      const started = await importStarted({ store, openControl }, answer, {
        runId: input.runId,
        startedAt: intent.at,
        part: input.part,
      });
      await intents.write({ ...intent, answer: started });
      return started;
    },

    /**
     * Counts what changed on the target since the plan was read, which shows whether a failed job changed anything. Saves
     * it, so that a later import of the run does not mistake its own changes for another's.
     */
    async lookAtTarget(input: {
      /** Absent in runs started before this was recorded. */
      runId?: string;
      route: Route;
      target: PortalFacts;
      planRef: string;
    }): Promise<{ changed: number; of: number }> {
      const plan = await readPlanFile(store, input.planRef);
      const desired = importedRows(plan);
      const now = await listGroup(portals.open(input.target.name), input.route.target.groupId, stopSignal());
      const changed = desired.filter((row) => {
        const held = now.get(row.itemId);
        return held !== undefined && (row.action === 'create' || held.modified !== row.target?.modified);
      });
      if (input.runId !== undefined)
        await noteMoved(
          input.runId,
          changed.map((row) => row.itemId),
        );
      return { changed: changed.length, of: desired.length };
    },

    /** Whether an item can be read: a package missing from the target was imported, or deleted. */
    async findPackage(input: {
      portal: PortalFacts;
      itemId: string;
    }): Promise<{ isThere: boolean; sizeBytes?: number }> {
      const found = await findItem(portals.open(input.portal.name), input.itemId, { signal: stopSignal() });
      return { isThere: found !== undefined, sizeBytes: found?.size };
    },
  };

  async function nothingToImport({ runId, part }: StartImport): Promise<ImportStarted> {
    await store.writeJson(keys.jobLists(runId, 'import', part), { done: [], skipped: [], failed: [] });
    return { kind: 'ended', lists: 'known' };
  }

  async function noteMoved(runId: string, ids: readonly string[]): Promise<void> {
    const key = keys.movedBefore(runId);
    const before = (await store.readJson(key, z.array(z.string()))) ?? [];
    await store.writeJson(key, [...new Set([...before, ...ids])]);
  }

  async function look(intents: IntentFile, noted: Intent, input: StartImport): Promise<ImportStarted> {
    const watched = watchedBy(input);
    const seen = await importSeen(watched, intents, noted, 'the import');
    if (seen === 'finished') {
      const answer: ImportStarted = { kind: 'ended', lists: 'unknown' };
      await intents.write({ ...noted, answer });
      return answer;
    }
    const { name } = watched.portal;
    throw new PortolanError(
      'IMPORT_UNDECIDED',
      `the response to the import was lost; on ${name} the package still exists and nothing changed for ${SETTLE_MS / 1000} s`,
      { portal: name },
    );
  }

  function watchedBy({ route, target, packageItemId }: StartImport): WatchedImport {
    return { portal: portals.open(target.name), groupId: route.target.groupId, packageItemId };
  }
}
