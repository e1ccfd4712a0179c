import { ledgerLists, listName } from '../transfer/ledger-lists';
import type { RunStatus, TaskRunStatus } from '../run/phase';
import { shortRunId } from '../run/run-id';
import type { RunState } from '../run/run-state';

/** A scheduled task of a portal's user, and one of its runs; without one, the run that was created last. */
export interface TaskRef {
  /** Name of the portal in portolan.yaml. */
  readonly portal: string;
  readonly username: string;
  readonly taskId: string;
  readonly taskRunId?: string;
}

/** The same with `{base_url}` as the starter's configuration has it. */
export interface TaskAddress extends TaskRef {
  readonly url: string;
}

/** Who wants to say on a task how it goes, and so whose words may be replaced by it. */
export interface TaskSpeaker {
  /** The run, and the run it restarts; empty for a failed start. */
  readonly runIds: readonly string[];
  /** @format milliseconds since the epoch */
  readonly dueAt: number;
}

/** What the run of a task says. */
export interface TaskReport {
  readonly status: TaskRunStatus;
  readonly result: string;
}

/** `PORTAL/USER/TASK`, with `/RUN` for one that is not the newest; undefined for anything else. */
export function parseTaskRef(text: string): TaskRef | undefined {
  const parts = text.split('/');
  const [portal, username, taskId, taskRunId] = parts;
  if (parts.length > 4 || parts.some((part) => part.trim() === '')) return undefined;
  if (portal === undefined || username === undefined || taskId === undefined) return undefined;
  return { portal, username, taskId, taskRunId };
}

/** How a task is written where one is asked for. */
export const TASK_REF_FORM = 'PORTAL/USER/TASK or PORTAL/USER/TASK/TASK-RUN';

/** Length limit of a task's text; longer ones are cut in the middle, so the run and the command stay. */
const RESULT_LENGTH = 400;

const statusOf: Readonly<Record<RunStatus, TaskRunStatus>> = {
  running: 'executing',
  waiting: 'executing',
  parked: 'executing',
  succeeded: 'succeeded',
  'nothing-to-do': 'skipped',
  partial: 'failed',
  failed: 'failed',
  cancelled: 'failed',
};

/** Status and text for the portal's task: the run, its outcome, and the next command. */
export function taskReport(state: RunState): TaskReport {
  const head = `${state.runId}: ${state.status}`;
  const tail = `. ${commandFor(state)}`;
  const middle = [detailOf(state), targetOf(state)].filter(Boolean).join('; ');
  const room = RESULT_LENGTH - head.length - tail.length - 2;
  const words = middle.length > room ? `${middle.slice(0, Math.max(0, room - 2))}..` : middle;
  return { status: statusOf[state.status], result: `${head}${words === '' ? '' : `, ${words}`}${tail}` };
}

/** The run that wrote a text; undefined if the portal, a notebook or a person wrote it. */
export const reportingRun = (result: string | undefined): string | undefined =>
  /^([a-z]+-\S+): ([a-z-]+)[,.]/.exec(result ?? '')?.[1];

const targetOf = ({ route, target }: RunState): string => (route.target ? `target ${target}` : '');

function detailOf(state: RunState): string {
  const { status, error, parked, items, snapshot, verification } = state;
  if (status === 'running') return '';
  if (status === 'waiting') return 'waiting for approval of its plan';
  if (parked) return `in ${parked.phase} with ${parked.code}: ${parked.reason}`;
  const counts: string[] = [];
  if (snapshot && state.kind === 'backup')
    counts.push(
      snapshot.unchanged
        ? `unchanged, see snapshot ${shortRunId(snapshot.id)}`
        : `${snapshot.items ?? 0} items in snapshot ${shortRunId(snapshot.id)}`,
    );
  if (items)
    for (const name of ledgerLists)
      if (name !== 'same' && (items[name] > 0 || name === 'imported'))
        counts.push(`${items[name]} ${listName(name)}`);
  if (verification && verification.findings > 0) counts.push(`${verification.findings} findings`);
  if (error) counts.push(`${error.code}: ${error.message}`);
  return counts.join(', ');
}

function commandFor({ runId, status, plan }: RunState): string {
  const run = shortRunId(runId);
  switch (status) {
    case 'running':
      return `portolan run watch ${run}`;
    case 'waiting':
      return `portolan run approve ${run} --plan ${plan?.hash ?? 'HASH'}`;
    case 'parked':
      return `portolan run resume ${run}`;
    default:
      return `portolan run show ${run}`;
  }
}
