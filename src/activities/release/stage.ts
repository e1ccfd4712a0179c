import { findPipeline, findStage, resolvePromotion } from '../../config/resolve-pipeline';
import type { AwaitedWindow } from '../../domain/policy/policy';
import type { CheckProgress } from '../../domain/release/checks/stage-checks';
import { dueRelease, promotionBlocker } from '../../domain/release/promotion-eligibility';
import { findRelease } from '../../domain/resolve-id';
import { listStage, marksOf } from '../../domain/release/stage-listing';
import { PortolanError } from '../../model/errors/errors';
import {
  type CheckResult,
  type DueCheck,
  type PromotionEntry,
  wentBack,
} from '../../model/release/promotion';
import {
  type DuePromotionInput,
  promotionOf,
  type PromotionInput,
  stageName,
} from '../../model/release/promotion-input';
import { askedBy, type Ruling } from '../../model/run/policy';
import { activityTime, timestamp, lastError, lastProgress, progress, stopSignal } from '../attempt/heartbeat';
import type { ActivityDeps } from '../deps';

/** What a scheduled promotion promotes; no promotion if no release is eligible. */
interface ChosenPromotion {
  readonly promotion?: PromotionInput;
  readonly detail: string;
}

type Outcome = Pick<PromotionEntry, 'kind' | 'status' | 'approvedBy' | 'reason' | 'checks'> & {
  readonly runId: string;
  readonly groups: readonly { readonly index: number; readonly runId: string }[];
  readonly portal: Pick<PromotionEntry, 'settings' | 'categories'>;
};

/** The signed promotion, whatever the workflow says. */
export const signedPromotion = ({ authority }: ActivityDeps, runId: string): Promise<PromotionInput> =>
  authority.requireSigned(runId, 'promotion');

/**
 * Chooses the release for the stage the run was signed for, by the worker's configuration and the current releases.
 * Throws what finding the release and resolving the promotion throw.
 */
export async function choosePromotion(
  deps: ActivityDeps,
  { runId }: { runId: string },
): Promise<ChosenPromotion> {
  const { releases } = deps.snapshots;
  const due = await deps.authority.requireSigned<DuePromotionInput>(runId, 'promote');
  const { pipeline, stage, standings } = await readStage(deps, due);
  const undone = wentBack(await releases.promotions.entries(pipeline.name, stage.name));
  const chosen =
    due.release === undefined
      ? dueRelease(pipeline, stage, standings, {
          now: activityTime(),
          undone,
          blocks: await releases.blocks(),
        })
      : { release: await findRelease(releases, due.release) };
  if (chosen.release === undefined) return { detail: chosen.why };
  const { manifest } = await releases.read(chosen.release);
  const here = standings.get(stage.name)?.at(-1);
  if (here?.sha256 === manifest.sha256 && here.verifiedAt !== undefined)
    return { detail: `${here.release} is the current release of ${stage.name}` };
  const resolved = resolvePromotion(deps.config, pipeline.name, stage.name, manifest);
  if (resolved.route.target.portal !== due.route.target.portal) throw otherConfig(due, ['portal']);
  const input = promotionOf(due, resolved);
  const proof = await deps.authority.signChild(runId, { workflow: 'promotion', input });
  return { promotion: { ...input, proof }, detail: `${manifest.id} to ${stage.name}` };
}

/**
 * Checks that the release can be promoted, or the stage rolled back, now; by the worker's configuration and the store's
 * records of the stages. Throws PROMOTION_REFUSED, RELEASE_BLOCKED, CONFIG_MISMATCH, and what the policy
 * throws.
 */
export async function openPromotion(
  deps: ActivityDeps,
  { runId }: { runId: string },
): Promise<{ ruling: Ruling; detail: string; warnings: string[] }> {
  const { config, policy } = deps;
  const input = await signedPromotion(deps, runId);
  const { route, stage: name, release, undoes, hotfix } = input;
  const { approval } = findStage(config, findPipeline(config, route.name), name);
  const asked = askedBy('restore', route, stageName(route.name, name));
  const ruling = await policy.require({ ...asked, approval }, { mayWait: true });
  if (undoes !== undefined) {
    const current = (await readStage(deps, input)).standings.get(name)?.at(-1);
    if (current?.entry?.runId !== undoes)
      throw promotionRefused(
        `${undoes} is not the current release of ${name}: ${current?.release ?? 'it has none'}`,
      );
    return { ruling, detail: `${release.id} is rolled back on ${name}`, warnings: [] };
  }
  await requireMayCome(deps, input);
  const warnings = hotfix ? [`hotfix: the earlier stages and the soak time of ${name} are not checked`] : [];
  return { ruling, detail: `${release.id} can be promoted to ${name}`, warnings };
}

/** When the soak time ends, if only that keeps the release from the stage; otherwise undefined. */
export async function askSoak(
  deps: ActivityDeps,
  { runId }: { runId: string },
): Promise<AwaitedWindow | undefined> {
  const input = await signedPromotion(deps, runId);
  const { pipeline, stage, standings } = await readStage(deps, input);
  const now = activityTime();
  const why = promotionBlocker(pipeline, stage, input.release, standings, { now });
  if (why?.from === undefined) return undefined;
  return { until: new Date(why.from).toISOString(), why: why.saw, inMs: why.from - now };
}

/** Throws PROMOTION_REFUSED if the release is not eligible, RELEASE_BLOCKED, and CONFIG_MISMATCH. */
export async function requireMayCome(deps: ActivityDeps, input: PromotionInput): Promise<void> {
  const { route, release, hotfix } = input;
  const { pipeline, stage, standings } = await readStage(deps, input);
  const { releases } = deps.snapshots;
  const { manifest } = await releases.read(release.id);
  if (manifest.sha256 !== release.sha256)
    throw promotionRefused(`${release.id} has sha256 ${manifest.sha256}, not ${release.sha256}`);
  if (!route.options.planOnly) await releases.requireUnblocked(manifest);
  const why = promotionBlocker(pipeline, stage, manifest, standings, { now: activityTime(), hotfix });
  // A plan-only promotion writes nothing.
  if (why && !route.options.planOnly) {
    const { saw, from } = why;
    const at = from === undefined ? '' : `; possible from ${new Date(from).toISOString()}`;
    throw promotionRefused(`${saw}${at}`);
  }
  requireSame(input, resolvePromotion(deps.config, route.name, stage.name, manifest));
}

/** The stage's checks in this worker's configuration, in order. */
export async function checksOf(deps: ActivityDeps, { runId }: { runId: string }): Promise<DueCheck[]> {
  const { route, stage } = await signedPromotion(deps, runId);
  return deps.checks.due(route.name, stage);
}

/**
 * Runs one check of this worker's configuration. A failed check is a result. If the worker dies, it is repeated.
 */
export async function runCheck(
  deps: ActivityDeps,
  { runId, check }: { runId: string; check: string },
): Promise<CheckResult> {
  const { route, stage, release } = await signedPromotion(deps, runId);
  return await deps.checks.carryOut(
    { runId, pipeline: route.name, stage, release: release.id, check },
    { signal: stopSignal(), before: lastProgress<CheckProgress>(), onProgress: progress },
  );
}

/** Records the outcome of a promotion, which sets the stage's current release. */
export async function commitPromotion(
  deps: ActivityDeps,
  { runId, kind, status, groups, portal, approvedBy, reason, checks }: Outcome,
): Promise<void> {
  const input = await signedPromotion(deps, runId);
  await deps.snapshots.releases.promotions.add({
    pipeline: input.route.name,
    stage: input.stage,
    runId,
    kind,
    status,
    release: input.release.id,
    sha256: input.release.sha256,
    undoes: kind === 'rolled-back' ? (input.undoes ?? runId) : undefined,
    hotfix: input.hotfix || undefined,
    who: input.startedBy,
    reason: reason ?? input.reason,
    approvedBy,
    checks,
    at: timestamp(),
    groups: groups.map(({ index, runId: by }) => {
      const { name = '', groupId = '' } = input.groups[index] ?? {};
      return { name, groupId, runId: by };
    }),
    listed: await listedOf(deps, input),
    settings: portal.settings,
    categories: portal.categories,
  });
}

export const promotionRefused = (message: string): PortolanError =>
  new PortolanError('PROMOTION_REFUSED', message);

/** A stage in this worker's configuration, and what every stage of its pipeline has. */
async function readStage(
  { config, snapshots: { releases } }: ActivityDeps,
  { route, stage }: { readonly route: { readonly name: string }; readonly stage: string },
) {
  const pipeline = findPipeline(config, route.name);
  const standings = await releases.promotions.standings(pipeline);
  return { pipeline, stage: findStage(config, pipeline, stage), standings };
}

/** The content of the stage's groups; undefined if unreadable, which does not fail the promotion. */
async function listedOf(
  { portals }: ActivityDeps,
  { route, groups }: PromotionInput,
): Promise<PromotionEntry['listed']> {
  try {
    const note = (done: number): void => progress({ listed: done, of: groups.length });
    return marksOf(await listStage(portals.open(route.target.portal), groups, note));
  } catch (thrown) {
    lastError(thrown);
    return undefined;
  }
}

const comparedFields = ['groups', 'settings', 'categories', 'onFailure', 'placementRules', 'map'] as const;

/** The worker's configuration decides: throws if what was signed differs. */
function requireSame(
  signed: PromotionInput,
  here: Pick<PromotionInput, (typeof comparedFields)[number] | 'route'>,
): void {
  const differing: string[] = comparedFields.filter(
    (field) => JSON.stringify(signed[field]) !== JSON.stringify(here[field]),
  );
  const { target, options } = signed.route;
  const isOther = (['approval', 'data', 'overwrite'] as const).some(
    (name) => options[name] !== here.route.options[name],
  );
  if (isOther || target.portal !== here.route.target.portal) differing.push('portal, approval or data');
  if (differing.length === 0) return;
  throw otherConfig(signed, differing);
}

const otherConfig = (
  { route, stage }: Pick<DuePromotionInput, 'route' | 'stage'>,
  differing: readonly string[],
): PortolanError =>
  new PortolanError(
    'CONFIG_MISMATCH',
    `The worker's portolan.yaml differs for ${route.name}/${stage}: ${differing.join(', ')}.`,
  );
