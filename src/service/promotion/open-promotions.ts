import type { PipelineConfig } from '../../config/config';
import { mapLimited } from '../../model/map-limited';
import type { RunRecord } from '../../model/run/run';
import { readRun } from '../run/read-run';
import { runPage } from '../run/run-rows';
import type { ReadContext } from '../run/run-sources';

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
