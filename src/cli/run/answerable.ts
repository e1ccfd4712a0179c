import { PortolanError } from '../../model/errors/errors';
import type { ParkedRecord } from '../../model/run/parked';
import { lookAt, over } from './answer-run';
import type { RunView } from './render/run-show';

/**
 * Refuses an answer to a plan that does not wait, as far as that can be seen while no worker is up: then the answer
 * would land later, and be refused where nobody hears it. Where a worker is up the run itself decides.
 */
export function requirePlan(view: RunView, hash?: string): void {
  const { record, open, source } = view;
  if (!open) throw over(record.runId);
  if (source !== 'record') return;
  if (record.status !== 'waiting') throw unfit(record.runId, `is ${record.status} and waits for no approval`);
  if (hash !== undefined && record.plan !== undefined && hash !== record.plan.hash)
    throw unfit(record.runId, `waits with plan ${record.plan.hash}, not ${hash}`);
}

/** Why the run is parked. Throws `USAGE` where it is not, and `NO_WORKER` where only a worker could tell. */
export function requireParked({ record, open, source }: RunView): ParkedRecord {
  const { runId, status, parked } = record;
  if (!open) throw unfit(runId, `is over (${status}) and is not parked`);
  if (status !== 'parked') throw unfit(runId, `is ${status} and is not parked`);
  if (parked !== undefined) return parked;
  if (source === 'run') throw unfit(runId, 'is about to end and is not parked any more');
  throw new PortolanError(
    'NO_WORKER',
    `${runId} is parked, but no worker is up to say why, and its record lies in a store that is not seen from here.`,
  );
}

const unfit = (runId: string, words: string): PortolanError =>
  new PortolanError('USAGE', `${runId} ${words}.`, { hint: lookAt(runId) });
