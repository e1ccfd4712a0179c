import { z } from 'zod';
import { takeoverView } from '../../contract/starts';
import { runRecord } from '../../model/run/run';
import type { BackupRequest, DrillRequest } from '../start/backup';
import type { PreparedRun } from '../start/prepared-run';
import type { PromotionRequest, StageRollbackRequest } from '../start/promotion';
import type { ReleaseRequest } from '../start/release';
import type { RestartRequest } from '../start/restart';
import type { RestoreRequest, RollbackRequest } from '../start/restore';
import type { RetryRequest } from '../start/retry';
import type { SyncRequest } from '../start/sync';

/** A requested run. */
export type Start =
  | { readonly what: 'sync'; readonly request: SyncRequest }
  | { readonly what: 'backup'; readonly request: BackupRequest }
  | { readonly what: 'drill'; readonly request: DrillRequest }
  | { readonly what: 'restore'; readonly request: RestoreRequest }
  | { readonly what: 'release'; readonly request: ReleaseRequest }
  | { readonly what: 'promotion'; readonly request: PromotionRequest }
  | {
      readonly what: 'stage rollback';
      readonly pipeline: string;
      readonly stage: string;
      readonly request: StageRollbackRequest;
    }
  | { readonly what: 'retry'; readonly run: string; readonly request: RetryRequest }
  | { readonly what: 'restart'; readonly run: string; readonly request: RestartRequest }
  | { readonly what: 'rollback'; readonly run: string; readonly request: RollbackRequest };

/** A started run, and what its starter is shown first. */
export const begunRun = z.object({
  runId: z.string(),
  isNew: z.boolean().describe('false if the key has started it before'),
  route: runRecord.shape.route.describe('source and target'),
  workers: z.array(z.string()).readonly().describe('names of the workers that take tasks'),
  approval: z
    .enum(['none', 'ask', 'required'])
    .optional()
    .describe('approval rule of the plan; absent if it was approved at the start'),
  planOnly: z.boolean().describe('stops after the plan'),
  takeover: takeoverView.optional().describe('what it reuses from an earlier run'),
});
export type BegunRun = Readonly<z.infer<typeof begunRun>>;

/** Starts a prepared run. @param attended the starter can be asked */
export async function beginPrepared(
  { route, workers, approval, takeover, begin }: PreparedRun,
  attended: boolean,
): Promise<BegunRun> {
  const { name, source, target, options } = route;
  const started = await begin((attended && approval === 'ask') || undefined);
  const { planOnly } = options;
  return { ...started, route: { name, source, target }, workers, approval, planOnly, takeover };
}
