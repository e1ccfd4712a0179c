import type { PhaseName } from '../../model/run/phase';
import type { PhaseRecord } from '../../model/run/run';
import { durationWords } from '../../model/text/words';

/** Starting a job and waiting for it share one line. */
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

/** The phases of a record in display order. */
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
      // If the job was not started or not waited for, it ended when its start ended.
      finishedAt: first.status !== 'done' || phase.status === 'skipped' ? first.finishedAt : phase.finishedAt,
    };
  }
  return lines;
}

/** A job has ended when waiting for it has: a successful start alone is not done. */
function joinStatus(start: PhaseMark, wait: PhaseMark): PhaseMark {
  if (start !== 'done') return start;
  if (wait === 'pending') return 'running';
  return wait === 'skipped' ? start : wait;
}

export const isSettled = ({ status }: PhaseLine): boolean =>
  status === 'done' || status === 'skipped' || status === 'failed';

/** It waits for a decision. */
export const isHalted = ({ status }: PhaseLine): boolean => status === 'waiting' || status === 'parked';

/** The text beside the name of a phase. */
export function settledWords({ status, detail }: PhaseLine): string | undefined {
  if (status === 'waiting') return 'waiting for approval';
  // The reason is shown elsewhere.
  return status === 'parked' ? 'PARKED' : firstOf(detail);
}

/** The first of several reasons; the others have their own lines. */
function firstOf(detail: string | undefined): string | undefined {
  const [first, ...others] = detail?.split('\n') ?? [];
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

/** Whether the phase started and was not skipped. */
export const hasTaken = (line: PhaseLine): line is PhaseLine & { readonly startedAt: string } =>
  line.startedAt !== undefined && line.status !== 'pending' && line.status !== 'skipped';

/** How long a phase took, or has taken so far; empty if it has not started. @param now in milliseconds since the epoch */
export function tookWords(line: PhaseLine, now: number): string {
  if (!hasTaken(line)) return '';
  const { startedAt, finishedAt } = line;
  return durationWords((finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}
