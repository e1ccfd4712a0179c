import { parsePortalQueueId } from '../../../model/run/portal-queue';
import type { PhaseName } from '../../../model/run/phase';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { portalsOf } from '../../../model/text/words';

/** What a cancelled run will still do, judged by its current phase. */
export const cancelWords = (record: RunRecord, { now }: { readonly now: boolean }): string =>
  `cancelling; ${deeds(record, now)}`;

function deeds(record: RunRecord, now: boolean): string {
  const { operation, parked, phases, route } = record;
  if (operation !== undefined)
    return phases.some(({ name, status }) => name === 'write' && status !== 'pending')
      ? 'writes already begun are finished and verified'
      : 'nothing is written';
  const job = jobOf(record);
  if (job !== undefined && now)
    return `the ${job.words} continues on the portal, so its package is kept; the run record lists it`;
  if (job !== undefined)
    return `the ${job.words} cannot be stopped; the run waits for it to finish, then removes its packages\nor now   portolan run cancel ${shortRunId(record.runId)} --now`;
  if (parked !== undefined)
    return `it removes its packages from ${portalsOf(route).join(' and ')}; items on the target stay unchanged`;
  return 'it removes its packages first';
}

/** Phases in which a portal works for the run, and whose portal that is. */
const jobs: readonly (readonly [PhaseName, 'source' | 'target', string])[] = [
  ['export', 'source', 'export'],
  ['wait-export', 'source', 'export'],
  ['safeguard', 'target', 'export'],
  ['import', 'target', 'import'],
  ['wait-import', 'target', 'import'],
];

function jobOf({ parked, phases, queue, window, route }: RunRecord): { words: string } | undefined {
  // A run that waits in a queue or for a window has not started its job.
  if (queue !== undefined || window !== undefined) return undefined;
  // A parked run keeps its slot only while a job of it may still run on the portal.
  const [held] =
    parked?.held.map((line) => parsePortalQueueId(line.replace(/,.*/, ''))).filter((each) => each) ?? [];
  if (held !== undefined) return { words: `${held.direction} on ${held.portal}` };
  if (parked !== undefined) return undefined;
  const current = phases.find(({ status }) => status === 'running')?.name;
  const found = jobs.find(([phase]) => phase === current);
  if (found === undefined) return undefined;
  const [, side, kind] = found;
  return { words: `${kind} on ${route[side]?.portal ?? '?'}` };
}
