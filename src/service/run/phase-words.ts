import type { PhaseName } from '../../model/run/phase';
import type { PhaseRecord } from '../../model/run/run';
import { durationWords } from '../../model/text/words';

/** Starting a job and waiting for it is one line for people. */
const joined: Partial<Record<PhaseName, PhaseName>> = { 'wait-export': 'export', 'wait-import': 'import' };

export type PhaseMark = PhaseRecord['status'];

/** A line of the display: one phase, or a job's two. */
export interface PhaseLine {
  readonly name: string;
  readonly status: PhaseMark;
  readonly detail?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** The phases of a record as people see them, in order. */
export function phaseLines(phases: readonly PhaseRecord[]): PhaseLine[] {
  const lines: PhaseLine[] = [];
  for (const phase of phases) {
    const first = lines.find((line) => line.name === joined[phase.name]);
    if (first === undefined) {
      lines.push(phase);
      continue;
    }
    lines[lines.indexOf(first)] = {
      name: first.name,
      status: joinStatus(first.status, phase.status),
      detail: phase.detail ?? first.detail,
      startedAt: first.startedAt,
      // Where the job was not started, or not waited for, the start's end is the end.
      finishedAt: first.status !== 'done' || phase.status === 'skipped' ? first.finishedAt : phase.finishedAt,
    };
  }
  return lines;
}

/** The job has ended when the waiting has; a post that is through with its job still running is not done. */
function joinStatus(start: PhaseMark, wait: PhaseMark): PhaseMark {
  if (start !== 'done') return start;
  if (wait === 'pending') return 'running';
  return wait === 'skipped' ? start : wait;
}

export const isSettled = ({ status }: PhaseLine): boolean =>
  status === 'done' || status === 'skipped' || status === 'failed';

/** It waits for a person. */
export const isHalted = ({ status }: PhaseLine): boolean => status === 'waiting' || status === 'parked';

/** What is said of a phase beside its name. */
export function settledWords({ status, detail }: PhaseLine): string | undefined {
  if (status === 'waiting') return 'waits for an approval';
  // Why is said in full elsewhere.
  return status === 'parked' ? 'PARKED' : firstOf(detail);
}

/** Of several reasons the first; the others have lines of their own. */
function firstOf(detail: string | undefined): string | undefined {
  const [first, ...others] = detail?.split('\n') ?? [];
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

/** Whether it has taken any time: it has begun, and was not skipped. */
export const hasTaken = (line: PhaseLine): line is PhaseLine & { readonly startedAt: string } =>
  line.startedAt !== undefined && line.status !== 'pending' && line.status !== 'skipped';

/** How long a phase took, or has taken until now; nothing for one that has not begun. @param now in milliseconds since the epoch */
export function tookWords(line: PhaseLine, now: number): string {
  if (!hasTaken(line)) return '';
  const { startedAt, finishedAt } = line;
  return durationWords((finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}
