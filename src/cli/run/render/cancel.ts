import { parsePortalQueueId } from '../../../model/run/portal-queue';
import type { PhaseName } from '../../../model/run/phase';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { portalsOf } from '../../../model/text/words';

/** What a cancelled run will do, as far as can be seen from where it stands. */
export function cancelWords(record: RunRecord, { now, taken }: { now: boolean; taken: boolean }): string {
  const when = taken ? 'asked to end' : 'sent, not yet taken: no worker is up. It ends when one is';
  return `${when}; ${deeds(record, now)}`;
}

function deeds(record: RunRecord, now: boolean): string {
  const { operation, parked, phases, route } = record;
  if (operation !== undefined)
    return phases.some(({ name, status }) => name === 'write' && status !== 'pending')
      ? 'what it has begun to write is written and read back'
      : 'nothing is written';
  const job = jobOf(record);
  if (job !== undefined && now)
    return `the ${job.words} goes on by itself, its package stays for it, and the record says so`;
  if (job !== undefined)
    return `the ${job.words} cannot be stopped: the run waits for its end, then removes its packages\nor now   portolan run cancel ${shortRunId(record.runId)} --now`;
  if (parked !== undefined)
    return `it removes what it holds on ${portalsOf(route).join(' and ')}, and leaves the target's items as they are`;
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
  // Whoever stands in a queue, or waits for a window, has not begun.
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
