import { setTimeout as sleep } from 'node:timers/promises';
import type { PipelineConfig, StageConfig } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { stageName } from '../../model/release/promotion-input';
import { shortRunId } from '../../model/run/run-id';
import { requireAbleWorkers } from '../run/able-workers';
import { cancelRun } from '../run/answers';
import { readRun } from '../run/read-run';
import type { ActingSources } from '../run/run-sources';
import { openPromotions } from './open-promotions';

const LOOK_EVERY_MS = 500;

/**
 * Ends the promotion that is parked at a stage, if one is: it keeps any other from there, and what it has written stands
 * there once it is over. Throws PROMOTION_REFUSED where it has written nothing: then another one would be undone.
 */
export async function endParkedPromotion(
  sources: ActingSources,
  { pipeline, stage }: { readonly pipeline: PipelineConfig; readonly stage: StageConfig },
  reason: string | undefined,
  say?: (words: string) => void,
): Promise<void> {
  const named = stageName(pipeline.name, stage.name);
  const open = await openPromotions(sources, pipeline);
  const parked = open.find((record) => record.stage === named && record.status === 'parked');
  if (!parked) return;
  const { runId, phases, target } = parked;
  const isWayBack = !phases.some(({ name }) => name === 'import');
  if (target === 'untouched' && !isWayBack)
    throw new PortolanError(
      'PROMOTION_REFUSED',
      `${runId} is parked at ${named} and has written nothing there yet.`,
      {
        hint: `End it with: portolan run cancel ${shortRunId(runId)}; then this brings back what stood before.`,
      },
    );
  await requireAbleWorkers(sources, [stage.portal]);
  say?.(`ends ${runId}, which is parked, and takes back what it has written`);
  const why = reason ?? `${named} is brought back to what it was`;
  await cancelRun(sources, runId, { reason: why, now: false });
  while ((await readRun(sources, runId)).open) await sleep(LOOK_EVERY_MS);
}
