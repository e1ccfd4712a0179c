import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import { PortolanError } from '../../../model/errors/errors';
import { previewRow } from '../../../model/transfer/preview';
import { createdItems } from '../../../model/transfer/created-items';
import { mappedFigures } from '../../../model/release/reference-map';
import type { Plan, PlanAction, PlanSummary } from '../../../model/transfer/plan';
import type { Route } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import { previewImport, type PreviewOutcome } from '../../../portal/resources/group-import';
import { type PreviewPage, readPreviewPage } from '../../../portal/resources/import-preview';
import { keys, ofPart } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { MadeFolder } from '../../snapshot/made-folder';
import { notYet } from '../../attempt/failure';
import { progress, stopSignal } from '../../attempt/heartbeat';
import { importIntent, importSeen, type ImportStarted, importStarted } from '../import-watch';
import { FencedWrite } from '../../attempt/fence';
import { IntentFile } from '../../attempt/intent';
import type { CallOptions } from '../../../portal/http/request';
import { figuresOfMapped, mappable, mappableItems } from '../../../domain/release/mappable-items';
import { hashOfMap, mapOfRun, type MapOfRun } from '../../release/map-of-run';
import { readPages } from './stored-lists';
import { buildPlan, buildUndoPlan, type PlanUndo, type ReadPlan, type RowOfPart } from './plan-building';
import { cursorOf, isUnknownPreview, keepCursor, readPreviewPages } from './preview-pages';
import { serverTime } from '../../attempt/clock';

/** What the preview says about the package. */
export interface PreviewSeen {
  readonly kind: 'seen';
  readonly previewId?: string;
  /** Number of items in the package. */
  readonly total: number;
  readonly sourceVersion?: string;
  /** URLs of the portal that made the package, from the preview. */
  readonly sourceAddresses: readonly string[];
}

/** `started`: the portal ignores `previewOnly`, and an import is running. */
export type PreviewAnswer = PreviewsSeen | { readonly kind: 'started'; readonly started: ImportStarted };

interface PreviewsSeen extends PreviewSeen {
  /** Previews of the run's further packages, in order. */
  readonly further?: readonly PreviewSeen[];
}

interface RequestPreview {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
  readonly packageItemId: string;
  /** Item IDs of the run's further packages, in order. */
  readonly further?: readonly string[];
}

interface PackageToList {
  readonly packageItemId: string;
  /** Distinguishes this reading from others of the run. */
  readonly reading: string;
}

export interface ListPackage extends PackageToList {
  readonly runId: string;
  readonly target: PortalFacts;
  readonly groupId: string;
  /** Further packages of the safeguard. */
  readonly further?: readonly PackageToList[];
}

export function createPreviewActivities({ portals, store, snapshots, authority, openControl }: ActivityDeps) {
  return {
    /**
     * Requests a preview from the target. A response with a job or result lists means that an import has started, and is
     * reported as such. If the response was lost, a repeat first checks for that, and for the preview.
     * An empty response counts as lost, unless the preview is found at its own URL.
     */
    async requestPreview({ further = [], ...first }: RequestPreview): Promise<PreviewAnswer> {
      const seen = await previewOf(first);
      if (seen.kind === 'started') return seen;
      const others: PreviewSeen[] = [];
      for (const packageItemId of further) {
        const other = await previewOf({ ...first, packageItemId }, packageItemId);
        if (other.kind === 'started') return other;
        others.push(other);
      }
      return others.length > 0 ? { ...seen, further: others } : seen;
    },
    /**
     * Lists the content of packages on the target from their previews, each under the store prefix of its reading. Returns
     * the first prefix.
     */
    async listPackage({ further = [], ...input }: ListPackage): Promise<string> {
      const folder = await listOne(input, input);
      for (const each of further) await listOne(input, each);
      return folder;
    },

    /** Reads the whole preview, joins it with the target's content, and saves the plan in the store. */
    async readPlan(input: ReadPlan): Promise<PlanSummary> {
      const rows: RowOfPart[] = [];
      for (const [part, packaged] of [input, ...(input.further ?? [])].entries()) {
        if (part < (input.imported?.parts ?? 0)) continue;
        const folder = keys.preview(input.runId, `${input.reading}${ofPart(part)}`);
        const { packageItemId, previewId, total } = packaged;
        await readPreviewPages(portals.open(input.target.name), store, {
          groupId: input.route.target.groupId,
          packageItemId,
          previewId,
          total,
          folder,
        });
        const found = await readPages(store, folder, previewRow);
        rows.push(...found.map((row) => ({ ...row, part })));
      }
      const map = input.maps ? await mapOfRun(authority, input.runId) : undefined;
      const built = await buildPlan(
        { portals, store, snapshots, authority },
        input,
        rows,
        map && hashOfMap(map.map),
      );
      const plan = map ? { ...built, mapped: await mappedByPlan(input.runId, map, built) } : built;
      if (input.putRight && input.importsNext !== false) await rememberFolders(input);
      return await keepPlan(input, plan);
    },

    /** Saves the plan of a rollback without an import: what it restores from copies and deletes. */
    async planUndo(input: PlanUndo): Promise<PlanSummary> {
      return await keepPlan(input, await buildUndoPlan({ portals, store, snapshots, authority }, input));
    },
  };

  async function keepPlan(
    { runId, reading }: Pick<ReadPlan, 'runId' | 'reading'>,
    plan: Plan,
  ): Promise<PlanSummary> {
    const ref = keys.plan(runId, reading);
    await store.writeJson(ref, plan);
    const count = (action: PlanAction): number => plan.rows.filter((row) => row.action === action).length;
    const [restore, remove] = [count('restore'), count('remove')];
    return {
      create: count('create'),
      overwrite: count('overwrite'),
      ...(restore > 0 && { restore }),
      ...(remove > 0 && { remove }),
      same: count('same'),
      drifted: plan.rows.filter(({ drifted }) => drifted).length,
      keep: count('keep'),
      blocked: count('blocked'),
      extra: count('extra'),
      hash: plan.hash,
      sha256: plan.sha256,
      arrivedLater: plan.arrivedLater,
      ...(plan.mapped && { mapped: mappedFigures.parse(plan.mapped) }),
      ref,
    };
  }

  /** Records the folders before the run's first import, so that the import's own folder can be recognized. */
  async function rememberFolders({ runId, route, target }: ReadPlan): Promise<void> {
    if ((await store.readJson(keys.created(runId), createdItems)) !== undefined) return;
    const options = { signal: stopSignal() };
    const folder = new MadeFolder(store, portals.open(target.name), { runId, route, target }, options);
    await folder.rememberOthers().catch((thrown: unknown) => {
      // If the owner's folders are not visible, none is ever deleted.
      if (PortolanError.from(thrown).code !== 'PERMISSION_DENIED') throw thrown;
    });
  }

  async function mappedByPlan(
    runId: string,
    { map, snapshotId }: MapOfRun,
    { rows }: Plan,
  ): Promise<Plan['mapped']> {
    // Computed once per run: neither its snapshot nor its map changes.
    const known = await store.readJson(keys.mappable(runId), mappable);
    const items = known ?? (await mappableItems({ store, snapshots }, snapshotId, map, progress));
    if (!known) await store.writeJson(keys.mappable(runId), items);
    const written = rows.filter(({ action }) => action === 'create' || action === 'overwrite');
    return { ...figuresOfMapped(written, items), map: hashOfMap(map) };
  }

  async function listOne(
    { runId, target, groupId }: ListPackage,
    { packageItemId, reading }: PackageToList,
  ): Promise<string> {
    const portal = portals.open(target.name);
    const folder = keys.preview(runId, reading);
    const { options } = new FencedWrite();
    const answer = await askForPreview(portal, groupId, packageItemId, target, options).catch(
      (thrown: unknown) => askAgainSoon(packageItemId, thrown),
    );
    if (answer.kind === 'started') {
      throw new PortolanError(
        'IMPORT_UNDECIDED',
        `${target.name} imported instead of previewing the safeguard`,
        {
          portal: target.name,
        },
      );
    }
    await readPreviewPages(portal, store, {
      groupId,
      packageItemId,
      previewId: answer.preview.packageSummary?.id,
      folder,
    });
    return folder;
  }

  /** @param which distinguishes the state files of several packages */
  async function previewOf(
    { runId, route, target, packageItemId }: Omit<RequestPreview, 'further'>,
    which?: string,
  ): Promise<PreviewSeen | Extract<PreviewAnswer, { kind: 'started' }>> {
    const portal = portals.open(target.name);
    const { groupId } = route.target;
    const intents = new IntentFile(store, runId, which === undefined ? 'preview' : `preview-${which}`);
    const noted = await intents.read();
    const watched = { portal, groupId, packageItemId };
    if (noted) {
      const prepared = await preparedPreview(portal, groupId, packageItemId);
      if (prepared) {
        await intents.clear();
        return toSeen(prepared);
      }
      if ((await importSeen(watched, intents, noted, 'the request for a preview')) === 'finished')
        return { kind: 'started', started: { kind: 'ended', lists: 'unknown' } };
    }
    const startedAt = serverTime();
    const answer = await intents
      .post(importIntent(), (options) => askForPreview(portal, groupId, packageItemId, target, options))
      .catch((thrown: unknown) => askAgainSoon(packageItemId, thrown));
    if (answer.kind === 'preview' && saysNothing(answer.preview)) {
      throw new PortolanError('BAD_RESPONSE', `${target.name} sent no preview`, { portal: target.name });
    }
    await intents.clear();
    if (answer.kind === 'preview') return toSeen(answer.preview);
    return {
      kind: 'started',
      started: await importStarted({ store, openControl }, answer.started, { runId, startedAt }),
    };
  }
}

function toSeen(preview: PreviewPage): PreviewSeen {
  const { id, sourcePortalInfo: from } = preview.packageSummary ?? {};
  return {
    kind: 'seen',
    previewId: id,
    total: preview.total ?? preview.results.length,
    sourceVersion: from?.version,
    sourceAddresses: [from?.httpsUrl, from?.httpUrl].flatMap((address) => address || []),
  };
}

const saysNothing = ({ packageSummary, total, results }: PreviewPage): boolean =>
  !packageSummary && total === undefined && results.length === 0;

/** The first page of the preview, if the portal has it. */
async function preparedPreview(
  portal: Portal,
  groupId: string,
  packageItemId: string,
): Promise<PreviewPage | undefined> {
  const page = await readPreviewPage(portal, groupId, packageItemId, {}, { signal: stopSignal() }).catch(
    unlessUnknown,
  );
  return page && !saysNothing(page) ? page : undefined;
}

function unlessUnknown(thrown: unknown): undefined {
  if (isUnknownPreview(thrown)) return undefined;
  throw thrown;
}

/** A package just added may not be ready for its preview; another request changes nothing. */
const READY_WITHIN_MS = 60_000;

function askForPreview(
  portal: Portal,
  groupId: string,
  packageItemId: string,
  target: PortalFacts,
  options: CallOptions,
): Promise<PreviewOutcome> {
  // A portal that imports instead of previewing must not overwrite anything.
  const request = { itemId: packageItemId, overwriteExistingItems: false, version: target.release };
  return previewImport(portal, groupId, request, { ...options, signal: stopSignal() });
}

function askAgainSoon(packageItemId: string, thrown: unknown): never {
  const cursor = cursorOf(packageItemId);
  keepCursor(packageItemId, cursor);
  const error = PortolanError.from(thrown);
  if (error.code === 'BAD_REQUEST' && serverTime() - cursor.since < READY_WITHIN_MS) {
    throw notYet(`the preview was refused: ${error.plainMessage}`, 3_000);
  }
  throw thrown;
}
