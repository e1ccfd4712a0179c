import { joinedFigures, mappedFigures, type MappedFigures } from '../../model/release/reference-map';
import { findPipeline, findStage, resolvePromotion } from '../../config/resolve-pipeline';
import { promotionBlocker } from '../../domain/release/promotion-eligibility';
import { listStage, marksOf } from '../../domain/release/stage-listing';
import { hashOfJson } from '../../domain/snapshot/hashing';
import type { AwaitedWindow } from '../../domain/policy/policy';
import { editedSince, ItemsAsLeft } from '../../domain/release/edited-items';
import { promotionUndoRows } from '../../domain/release/promotion-undo-rows';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import type { PromotionEntry } from '../../model/release/promotion';
import { type PromotionInput, stageName } from '../../model/release/promotion-input';
import { standingsOf } from '../../model/release/stage-state';
import { type WholePlan, wholePlan } from '../../model/release/whole-plan';
import { askedBy, type Ruling } from '../../model/run/policy';
import { type FieldChange, runRecord } from '../../model/run/run';
import { wholeOfPart } from '../../model/run/run-id';
import { createdItems } from '../../model/transfer/created-items';
import { type Plan, type PlanAction, plan, type PlanSummary, type PlanRow } from '../../model/transfer/plan';
import { shortHash } from '../../model/transfer/plan-hash';
import { keys } from '../../store/keys';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import type { Item } from '../../portal/resources/items/item';
import type { ActivityDeps } from '../deps';
import { lastError, progress, stopSignal } from '../attempt/heartbeat';
import { PromotedPortal } from './promoted-portal';
import { serverTime } from '../attempt/clock';

/** A group's plan, by the run that made it. */
export interface PlannedGroup {
  readonly index: number;
  /** Store key. */
  readonly ref: string;
}

/** How many rows a promotion's plan lists; the groups' plans have all. */
const ROWS_MAX = 10_000;

export function createPromotionActivities(
  deps: Pick<ActivityDeps, 'portals' | 'store' | 'snapshots' | 'authority' | 'policy' | 'config'>,
) {
  const { portals, store, snapshots, authority, policy, config } = deps;
  const { releases } = snapshots;
  const { promotions } = releases;
  const portal = new PromotedPortal(deps);

  /** The signed promotion, whatever the workflow says. */
  const signedPromotion = async (runId: string): Promise<PromotionInput> => {
    const input = await authority.requireSigned(runId, 'promotion', () => true);
    // A schedule's signature covers all its runs.
    return { ...(input as PromotionInput), runId };
  };

  return {
    /**
     * Checks that the release can be promoted, or the stage rolled back, now; by the worker's configuration and the store's
     * records of the stages. Throws PROMOTION_REFUSED, CONFIG_MISMATCH, and what the policy throws.
     */
    async openPromotion({
      runId,
    }: {
      runId: string;
    }): Promise<{ ruling: Ruling; detail: string; warnings: string[] }> {
      const input = await signedPromotion(runId);
      const { route, stage: name, release, undoes, hotfix } = input;
      const pipeline = findPipeline(config, route.name);
      const stage = findStage(config, pipeline, name);
      const standings = await promotions.standings(pipeline);
      const stands = standings.get(name)?.at(-1);
      const asked = askedBy('restore', route, stageName(route.name, name));
      const ruling = await policy.require({ ...asked, approval: stage.approval }, { mayWait: true });
      if (undoes !== undefined) {
        if (stands?.entry?.runId !== undoes)
          throw refused(
            `${undoes} is not the current release of ${name}: ${stands?.release ?? 'it has none'}`,
          );
        return { ruling, detail: `${release.id} is rolled back on ${name}`, warnings: [] };
      }
      await requireMayCome(input, standings);
      const warnings = hotfix
        ? [`hotfix: the earlier stages and the soak time of ${name} are not checked`]
        : [];
      return { ruling, detail: `${release.id} can be promoted to ${name}`, warnings };
    },

    /** When the soak time ends, if only that keeps the release from the stage; otherwise undefined. */
    async askSoak({ runId }: { runId: string }): Promise<AwaitedWindow | undefined> {
      const { route, stage: name, release } = await signedPromotion(runId);
      const pipeline = findPipeline(config, route.name);
      const standings = await promotions.standings(pipeline);
      const now = serverTime();
      const why = promotionBlocker(pipeline, findStage(config, pipeline, name), release, standings, { now });
      if (why?.from === undefined) return undefined;
      return { until: new Date(why.from).toISOString(), why: why.saw, inMs: why.from - now };
    },

    /**
     * Joins the plans of all groups and the portal changes. Throws PROMOTION_BLOCKED if a row is blocked, and what
     * `openPromotion` throws.
     */
    async joinPlans({
      runId,
      reading,
      planned,
    }: {
      runId: string;
      reading: number;
      planned: readonly PlannedGroup[];
    }): Promise<{ plan: PlanSummary; changes: FieldChange[] }> {
      const input = await signedPromotion(runId);
      // Another promotion may have ended while this one waited.
      await requireMayCome(input, await promotions.standings(findPipeline(config, input.route.name)));
      const groups: (WholePlan['groups'][number] & Pick<PlanSummary, 'extra' | 'arrivedLater'>)[] = [];
      const rows: PlanRow[] = [];
      const blocked: string[] = [];
      const mapped: MappedFigures[] = [];
      const broughtBy = new Map<string, string>();
      for (const { index, ref } of planned) {
        const { name, groupId } = input.groups[index] ?? { name: '', groupId: '' };
        const own = isPlanOf(ref, runId) ? await store.readJson(ref, plan) : undefined;
        if (!own?.sha256)
          throw new PortolanError('INTERNAL', `the plan of group "${name}" is missing from the store`);
        const count = (action: string): number => own.rows.filter((row) => row.action === action).length;
        blocked.push(
          ...own.rows
            .filter(({ action }) => action === 'blocked')
            .map(
              ({ title, itemId, reason = 'blocked' }) => `group "${name}": ${title} (${itemId}): ${reason}`,
            ),
        );
        // Once one group has imported it, no import of the other can overwrite it.
        for (const { action, itemId, title } of own.rows) {
          if (action !== 'create') continue;
          const by = broughtBy.get(itemId) ?? name;
          broughtBy.set(itemId, by);
          if (by !== name)
            blocked.push(
              `group "${name}": ${title} (${itemId}): is new, and group "${by}" already contains it`,
            );
        }
        if (rows.length < ROWS_MAX) rows.push(...own.rows.map((row) => ({ ...row, of: name })));
        groups.push({
          ...{ name, groupId, sha256: own.sha256, create: count('create'), overwrite: count('overwrite') },
          ...{ keep: count('keep'), blocked: count('blocked') },
          ...{ extra: count('extra'), arrivedLater: own.arrivedLater },
        });
        if (own.mapped) mapped.push(mappedFigures.parse(own.mapped));
      }
      if (blocked.length > 0) throw blockedBy(blocked);
      const { settings, categories } = await portal.changes(input);
      const whole: WholePlan = {
        ...{ pipeline: input.route.name, stage: input.stage, release: input.release.sha256 },
        groups: groups.map(({ extra: _, arrivedLater: _later, ...each }) => each),
        ...(settings && { settings }),
        ...(categories && { categories }),
      };
      const summary = await keepPlan(input, reading, whole, rows.slice(0, ROWS_MAX));
      const sum = (of: 'extra' | 'arrivedLater'): number => groups.reduce((all, each) => all + each[of], 0);
      return {
        plan: {
          ...{ ...summary, extra: sum('extra'), arrivedLater: sum('arrivedLater') },
          ...(mapped.length > 0 && { mapped: joinedFigures(mapped) }),
        },
        changes: [...(settings?.changes ?? []), ...(categories?.changes ?? [])],
      };
    },

    /** Plans the rollback of a stage, by the runs that imported each group and their safeguards. */
    async planWayBack({ runId }: { runId: string }): Promise<{
      plan: PlanSummary;
      changes: FieldChange[];
      undone: { index: number; runId: string; safeguard?: string; isWritten: true; stands: 'imported' }[];
      undoes: { runId: string; to?: string };
      portal: Pick<PromotionEntry, 'settings' | 'categories'>;
      warnings: string[];
    }> {
      const input = await signedPromotion(runId);
      const warnings: string[] = [];
      const gone: string[] = [];
      const entries = await promotions.entries(input.route.name, input.stage);
      const entry = entries.findLast((each) => each.runId === input.undoes && each.kind === 'promoted');
      if (!entry) throw refused(`the results of ${input.undoes ?? ''} are no longer known`);
      const groups: WholePlan['groups'] = [];
      const rows: PlanRow[] = [];
      const undone = [];
      for (const group of entry.groups) {
        const index = input.groups.findIndex(({ name }) => name === group.name);
        const record = await store.readJson(keys.record(group.runId), runRecord);
        if (!record || index < 0) throw refused(`the record of ${group.runId} is no longer in the store`);
        const { groupId } = input.groups[index] ?? {};
        if (groupId !== group.groupId)
          throw refused(
            `group "${group.name}" of ${input.stage} was ${group.groupId} then and is ${groupId ?? 'none'} now; saved items are not restored into another group`,
          );
        if (record.safeguard && !(await isThere(record.safeguard.id))) gone.push(record.safeguard.id);
        const { ref, sha256 = '' } = record.plan ?? {};
        const carriedOut = ref === undefined ? undefined : await store.readJson(ref, plan);
        if (!carriedOut) throw refused(`the plan of ${group.runId} is no longer in the store`);
        const edited = input.overwriteEdits ? [] : await editedOf(input, group.runId);
        warnings.push(
          ...edited.map(
            ({ id, title = id }) => `group "${group.name}": ${title} (${id}) ${editedSince(group.runId)}`,
          ),
        );
        const noted = await store.readJson(keys.created(group.runId), createdItems);
        const isKept = new Set(edited.map(({ id }) => id));
        const undo = promotionUndoRows(carriedOut.rows, { undone: group.runId, isKept, noted });
        const own = undo.map((row) => ({ ...row, of: group.name }));
        if (rows.length < ROWS_MAX) rows.push(...own);
        const count = (action: PlanAction): number => own.filter((row) => row.action === action).length;
        groups.push({
          ...{ ...group, sha256, create: 0, overwrite: count('overwrite'), remove: count('remove') },
          ...{ keep: edited.length, blocked: 0 },
          ...(edited.length > 0 && { edited: edited.map(({ id }) => id) }),
        });
        progress({ groups: groups.length });
        undone.push({
          ...({ index, runId: group.runId, isWritten: true, stands: 'imported' } as const),
          ...(record.safeguard && { safeguard: record.safeguard.id }),
        });
      }
      if (gone.length > 0)
        throw refused(
          `the earlier content is no longer in the store: ${gone.slice(0, NAMED_MAX).join(', ')}`,
        );
      const { pipeline, stage, sha256: release, settings, categories } = entry;
      const whole: WholePlan = { pipeline, stage, release, undoes: entry.runId, groups };
      const summary = await keepPlan(input, 1, whole, rows);
      const standings = standingsOf(entries);
      const to = standings[standings.findIndex((each) => each.entry?.runId === entry.runId) - 1]?.release;
      const undoes = { runId: entry.runId, ...(to !== undefined && { to }) };
      const changes = await portal.undoneChanges({ settings, categories });
      return { plan: summary, changes, undone, undoes, portal: { settings, categories }, warnings };
    },

    /** Records the outcome of a promotion, which sets the stage's current release. */
    async commitPromotion({
      runId,
      kind,
      status,
      groups,
      portal: changed,
      approvedBy,
      reason,
      checks,
    }: Pick<PromotionEntry, 'kind' | 'status' | 'approvedBy' | 'reason' | 'checks'> & {
      runId: string;
      groups: readonly { readonly index: number; readonly runId: string }[];
      portal: Pick<PromotionEntry, 'settings' | 'categories'>;
    }): Promise<void> {
      const input = await signedPromotion(runId);
      const listed = await listedOf(input);
      await promotions.add({
        ...{ pipeline: input.route.name, stage: input.stage, runId, kind, status },
        ...{ release: input.release.id, sha256: input.release.sha256 },
        ...(kind === 'rolled-back' && { undoes: input.undoes ?? runId }),
        ...(input.hotfix && { hotfix: true }),
        who: input.startedBy,
        reason: reason ?? input.reason,
        approvedBy,
        checks,
        at: new Date(serverTime()).toISOString(),
        groups: groups.map(({ index, runId: by }) => {
          const { name = '', groupId = '' } = input.groups[index] ?? {};
          return { name, groupId, runId: by };
        }),
        ...(listed && { listed }),
        ...changed,
      });
    },

    /** The portal change that applies the release's settings or categories, as approved. */
    async desireOfRelease(given: { runId: string; part: string; plan: string }) {
      return await portal.desireOfRelease(await signedPromotion(given.runId), given);
    },

    /** The portal change that rolls an earlier one back, except what someone has changed since. */
    async desireAsBefore(given: { runId: string; part: string; undone: string }) {
      return await portal.desireAsBefore(await signedPromotion(given.runId), given);
    },
  };

  async function isThere(snapshotId: string): Promise<boolean> {
    try {
      await snapshots.read(snapshotId);
      return true;
    } catch (thrown) {
      if (PortolanError.from(thrown).code === 'SNAPSHOT_NOT_FOUND') return false;
      throw thrown;
    }
  }

  /** Throws PROMOTION_REFUSED if the release is not eligible, and CONFIG_MISMATCH. */
  async function requireMayCome(
    input: PromotionInput,
    standings: Awaited<ReturnType<typeof promotions.standings>>,
  ): Promise<void> {
    const { route, stage: name, release, hotfix } = input;
    const pipeline = findPipeline(config, route.name);
    const { manifest } = await releases.read(release.id);
    if (manifest.sha256 !== release.sha256)
      throw refused(`${release.id} has sha256 ${manifest.sha256}, not ${release.sha256}`);
    const stage = findStage(config, pipeline, name);
    const why = promotionBlocker(pipeline, stage, manifest, standings, { now: serverTime(), hotfix });
    // A plan-only promotion writes nothing.
    if (why && !route.options.planOnly) {
      const { saw, from } = why;
      const at = from === undefined ? '' : `; possible from ${new Date(from).toISOString()}`;
      throw refused(`${saw}${at}`);
    }
    requireSame(input, resolvePromotion(config, route.name, name, manifest));
  }

  /** The content of the stage's groups; undefined if unreadable, which does not fail the promotion. */
  async function listedOf({ route, groups }: PromotionInput): Promise<PromotionEntry['listed']> {
    try {
      const options = { signal: stopSignal() };
      const note = (done: number): void => progress({ listed: done, of: groups.length });
      return marksOf(await listStage(portals.open(route.target.portal), groups, options, note));
    } catch (thrown) {
      lastError(thrown);
      return undefined;
    }
  }

  /** What someone has edited on the stage since a run overwrote it. */
  async function editedOf({ route }: PromotionInput, runId: string): Promise<Item[]> {
    const at = { store, portal: deps.portals.open(route.target.portal) };
    const left = await ItemsAsLeft.of(runId, at, { signal: stopSignal() });
    const edited = await mapLimited(left.ids, REQUESTS_AT_A_TIME, (itemId) => left.edited(itemId));
    return edited.filter((each) => each !== undefined);
  }

  /** Saves a plan in the store, for approval and for people. */
  async function keepPlan(
    { runId, groups: [first] }: PromotionInput,
    reading: number,
    given: WholePlan,
    rows: PlanRow[],
  ): Promise<PlanSummary> {
    const whole = wholePlan.parse(given);
    const sha256 = hashOfJson(whole);
    await store.writeJson(keys.wholePlan(runId, sha256), whole);
    const ref = keys.plan(runId, reading);
    const hash = shortHash(sha256);
    const shown: Plan = {
      ...{ hash, sha256, packageSha256: whole.release, targetGroupId: first?.groupId ?? '', previewId: '' },
      ...{ arrivedLater: 0, readAt: new Date(serverTime()).toISOString(), rows },
    };
    await store.writeJson(ref, shown);
    const sum = (of: 'create' | 'overwrite' | 'remove' | 'keep' | 'blocked'): number =>
      whole.groups.reduce((all, each) => all + (each[of] ?? 0), 0);
    return {
      ...{ create: sum('create'), overwrite: sum('overwrite'), keep: sum('keep'), blocked: sum('blocked') },
      ...(sum('remove') > 0 && { remove: sum('remove') }),
      ...{ extra: 0, arrivedLater: 0, hash, sha256, ref },
    };
  }
}

const isPlanOf = (ref: string, runId: string): boolean => {
  const [top, part = ''] = ref.split('/');
  return top === 'runs' && wholeOfPart(part) === runId;
};

const refused = (message: string): PortolanError => new PortolanError('PROMOTION_REFUSED', message);

/** The worker's configuration decides: throws if what was signed differs. */
function requireSame(given: PromotionInput, here: Pick<PromotionInput, ComparedField | 'route'>): void {
  const differing = comparedFields.filter(
    (field) => JSON.stringify(given[field]) !== JSON.stringify(here[field]),
  );
  const { target, options } = given.route;
  const isOther =
    target.portal !== here.route.target.portal ||
    options.approval !== here.route.options.approval ||
    options.data !== here.route.options.data ||
    options.overwrite !== here.route.options.overwrite;
  if (differing.length === 0 && !isOther) return;
  throw new PortolanError(
    'CONFIG_MISMATCH',
    `The worker's portolan.yaml differs for ${given.route.name}/${given.stage}: ${[...differing, ...(isOther ? ['portal, approval or data'] : [])].join(', ')}.`,
  );
}

const comparedFields = [
  'groups',
  'settings',
  'categories',
  'onFailure',
  'onWindowClose',
  'putRight',
  'map',
] as const;
type ComparedField = (typeof comparedFields)[number];

/** How many rows an error names. */
const NAMED_MAX = 5;

function blockedBy(blocked: readonly string[]): PortolanError {
  const more = blocked.length > NAMED_MAX ? `; and ${blocked.length - NAMED_MAX} more` : '';
  return new PortolanError(
    'PROMOTION_BLOCKED',
    `${blocked.length} items are blocked on the stage: ${blocked.slice(0, NAMED_MAX).join('; ')}${more}`,
  );
}
