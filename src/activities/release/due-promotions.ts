import { findPipeline, findStage, resolvePromotion } from '../../config/resolve-pipeline';
import { dueRelease } from '../../domain/release/due-release';
import { findRelease } from '../../domain/release/find-release';
import { type DuePromotionInput, promotionOf } from '../../model/release/due-promotion';
import { wentBack } from '../../model/release/stage-state';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { ActivityDeps } from '../deps';
import { serverTime } from '../attempt/clock';

/** What a scheduled promotion promotes; no promotion if no release is eligible. */
export interface ChosenPromotion {
  readonly promotion?: PromotionInput;
  readonly detail: string;
}

/**
 * Chooses the release for the stage the run was signed for, by the worker's configuration and the current releases.
 * Throws what finding the release and resolving the promotion throw.
 */
export async function choosePromotion(
  { authority, config, snapshots: { releases } }: ActivityDeps,
  { runId }: { runId: string },
): Promise<ChosenPromotion> {
  const signed = await authority.requireSigned(runId, 'promote', () => true);
  // A schedule's signature covers all its runs.
  const due = { ...(signed as DuePromotionInput), runId };
  const pipeline = findPipeline(config, due.route.name);
  const stage = findStage(config, pipeline, due.stage);
  const standings = await releases.promotions.standings(pipeline);
  const undone = wentBack(await releases.promotions.entries(pipeline.name, stage.name));
  const chosen =
    due.release === undefined
      ? dueRelease(pipeline, stage, standings, { now: serverTime(), undone })
      : { release: await findRelease(releases, due.release) };
  if (chosen.release === undefined) return { detail: chosen.why };
  const { manifest } = await releases.read(chosen.release);
  const here = standings.get(stage.name)?.at(-1);
  if (here?.sha256 === manifest.sha256 && here.verifiedAt !== undefined)
    return { detail: `${here.release} is the current release of ${stage.name}` };
  const resolved = resolvePromotion(config, pipeline.name, stage.name, manifest);
  return { promotion: promotionOf(due, resolved), detail: `${manifest.id} to ${stage.name}` };
}
