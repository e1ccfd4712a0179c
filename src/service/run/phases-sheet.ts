import type { RunView } from '../../contract/runs';
import type { PhaseName } from '../../model/run/phase';
import type { PhaseRecord, RunRecord } from '../../model/run/run';
import { bad, type Block, faint, listed, type Value } from '../../model/text/sheet';
import { queueStanding } from '../portal-queue/queue-words';
import { runningProgress } from './progress-words';

/** Starting a job and waiting for it share one line. */
const joined: Partial<Record<PhaseName, PhaseName>> = { 'wait-export': 'export', 'wait-import': 'import' };

type PhaseMark = PhaseRecord['status'];

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

/** The phases of a run, each with how long it took, and its result. */
export const phaseTable = (view: RunView, lines = phaseLines(view.record.phases)): Block => ({
  columns: [],
  widths: [2, 10, 6],
  rows: lines.map((line) => phaseRow(line, view)),
});

const marks: Readonly<Record<PhaseMark, string>> = {
  done: 'ok',
  failed: '!!',
  running: ' >',
  waiting: ' ?',
  parked: ' P',
  skipped: ' -',
  pending: '',
};

function phaseRow(line: PhaseLine, view: RunView): Value[] {
  const { name, status } = line;
  const paint = status === 'failed' ? bad : status === 'pending' || status === 'skipped' ? faint : same;
  return [
    { status, text: marks[status] },
    paint(name),
    hasTaken(line) ? { from: line.startedAt, to: line.finishedAt } : undefined,
    paint(phaseDetail(line, view)),
  ];
}

const same = (value: Value): Value => value;

/** What came of a phase, or how far it is. */
export function phaseDetail({ status, detail }: PhaseLine, { record, pending, portalQueue }: RunView): Value {
  if (status === 'waiting') return 'waiting for approval';
  // The reason is shown elsewhere.
  if (status === 'parked') return 'PARKED';
  if (status !== 'running') return firstOf(detail);
  return listed(
    firstOf(detail),
    record.queue ? queueStanding(record.queue, portalQueue) : runningProgress(pending),
  );
}

/** The first of several reasons; the others have their own lines. */
function firstOf(detail: string | undefined): string | undefined {
  const [first, ...others] = detail?.split('\n') ?? [];
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

/** The phase of the parent run that a child run belongs to. */
export function phaseOfChild({ name, does }: NonNullable<RunRecord['children']>[number]): string {
  if (does === undefined) return name === undefined ? 'search' : 'groups';
  if (does === 'undo') return 'rollback';
  return does === 'import' && (name === 'settings' || name === 'category-schema') ? 'portal' : does;
}

/** Whether the phase started and was not skipped. */
export const hasTaken = (line: PhaseLine): line is PhaseLine & { readonly startedAt: string } =>
  line.startedAt !== undefined && line.status !== 'pending' && line.status !== 'skipped';
