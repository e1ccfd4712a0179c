import { findPipeline, findStage, resolvePromotion } from '../../config/resolve-pipeline';
import type { AwaitedWindow } from '../../domain/policy/policy';
import { promotionBlocker } from '../../domain/release/promotion-eligibility';
import { PortolanError } from '../../model/errors/errors';
import { type PromotionInput, stageName } from '../../model/release/promotion-input';
import { askedBy, type Ruling } from '../../model/run/policy';
import type { ActivityDeps } from '../deps';
import { serverTime } from '../attempt/clock';

/** The signed promotion, whatever the workflow says. */
export async function signedPromotion({ authority }: ActivityDeps, runId: string): Promise<PromotionInput> {
  const input = await authority.requireSigned(runId, 'promotion', () => true);
  // A schedule's signature covers all its runs.
  return { ...(input as PromotionInput), runId };
}

/**
 * Checks that the release can be promoted, or the stage rolled back, now; by the worker's configuration and the store's
 * records of the stages. Throws PROMOTION_REFUSED, CONFIG_MISMATCH, and what the policy throws.
 */
export async function openPromotion(
  deps: ActivityDeps,
  { runId }: { runId: string },
): Promise<{ ruling: Ruling; detail: string; warnings: string[] }> {
  const { config, policy, snapshots } = deps;
  const input = await signedPromotion(deps, runId);
  const { route, stage: name, release, undoes, hotfix } = input;
  const pipeline = findPipeline(config, route.name);
  const { approval } = findStage(config, pipeline, name);
  const asked = askedBy('restore', route, stageName(route.name, name));
  const ruling = await policy.require({ ...asked, approval }, { mayWait: true });
  if (undoes !== undefined) {
    const current = (await snapshots.releases.promotions.standings(pipeline)).get(name)?.at(-1);
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
  const { route, stage, release } = await signedPromotion(deps, runId);
  const pipeline = findPipeline(deps.config, route.name);
  const standings = await deps.snapshots.releases.promotions.standings(pipeline);
  const now = serverTime();
  const why = promotionBlocker(pipeline, findStage(deps.config, pipeline, stage), release, standings, {
    now,
  });
  if (why?.from === undefined) return undefined;
  return { until: new Date(why.from).toISOString(), why: why.saw, inMs: why.from - now };
}

/** Throws PROMOTION_REFUSED if the release is not eligible, and CONFIG_MISMATCH. */
export async function requireMayCome(
  { config, snapshots: { releases } }: ActivityDeps,
  input: PromotionInput,
): Promise<void> {
  const { route, stage: name, release, hotfix } = input;
  const pipeline = findPipeline(config, route.name);
  const standings = await releases.promotions.standings(pipeline);
  const { manifest } = await releases.read(release.id);
  if (manifest.sha256 !== release.sha256)
    throw promotionRefused(`${release.id} has sha256 ${manifest.sha256}, not ${release.sha256}`);
  const stage = findStage(config, pipeline, name);
  const why = promotionBlocker(pipeline, stage, manifest, standings, { now: serverTime(), hotfix });
  // A plan-only promotion writes nothing.
  if (why && !route.options.planOnly) {
    const { saw, from } = why;
    const at = from === undefined ? '' : `; possible from ${new Date(from).toISOString()}`;
    throw promotionRefused(`${saw}${at}`);
  }
  requireSame(input, resolvePromotion(config, route.name, name, manifest));
}

export const promotionRefused = (message: string): PortolanError =>
  new PortolanError('PROMOTION_REFUSED', message);

const comparedFields = [
  'groups',
  'settings',
  'categories',
  'onFailure',
  'onWindowClose',
  'putRight',
  'map',
] as const;

/** The worker's configuration decides: throws if what was signed differs. */
function requireSame(
  signed: PromotionInput,
  here: Pick<PromotionInput, (typeof comparedFields)[number] | 'route'>,
): void {
  const differing: string[] = comparedFields.filter(
    (field) => JSON.stringify(signed[field]) !== JSON.stringify(here[field]),
  );
  const { target, options } = signed.route;
  const isOther =
    target.portal !== here.route.target.portal ||
    options.approval !== here.route.options.approval ||
    options.data !== here.route.options.data ||
    options.overwrite !== here.route.options.overwrite;
  if (isOther) differing.push('portal, approval or data');
  if (differing.length === 0) return;
  throw new PortolanError(
    'CONFIG_MISMATCH',
    `The worker's portolan.yaml differs for ${signed.route.name}/${signed.stage}: ${differing.join(', ')}.`,
  );
}
