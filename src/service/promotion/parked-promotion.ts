import type { PipelineConfig, StageConfig } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { stageName } from '../../model/release/promotion-input';
import { shortRunId } from '../../model/run/run-id';
import { requireAbleWorkers } from '../run/compatible-workers';
import { endRun } from '../run/send-decision';
import type { WriteContext, ReadContext } from '../run/run-sources';
import { mapLimited } from '../../model/map-limited';
import type { RunRecord } from '../../model/run/run';
import { readRun } from '../run/read-run';
import { runPage } from '../run/run-rows';

/**
 * Ends the promotion that is parked at a stage, if any: it blocks others, and once ended, its changes count as the
 * stage's state. Throws PROMOTION_REFUSED if it has written nothing, because an earlier promotion would be rolled
 * back.
 */
export async function endParkedPromotion(
  sources: WriteContext,
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
      `${runId} is parked at ${named} and has not written anything there yet.`,
      {
        hint: `Cancel it: portolan run cancel ${shortRunId(runId)}. Then this rolls back to the previous release.`,
      },
    );
  await requireAbleWorkers(sources, [stage.portal]);
  say?.(`ends ${runId}, which is parked, and rolls back its changes`);
  await endRun(sources, runId, reason ?? `${named} is rolled back`);
}

/** Open promotions of the pipeline, newest first. */
export async function openPromotions(sources: ReadContext, { name }: PipelineConfig): Promise<RunRecord[]> {
  const { rows } = await runPage(sources, { route: name, open: true });
  const views = await mapLimited(
    rows.filter(({ kind }) => kind === 'promotion'),
    READ_AT_A_TIME,
    ({ runId }) => readRun(sources, runId),
  );
  return views.map(({ record }) => record);
}

const READ_AT_A_TIME = 8;
