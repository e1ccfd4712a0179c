import { exitStatus } from '../../model/errors/error-codes';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { oneLine } from '../../model/text/plain-text';
import { planIdentity } from '../../model/transfer/plan-hash';
import type { Output } from '../terminal/output';
import type { Style } from '../terminal/style';
import type { Begin, Portolan } from '../../service/portolan/portolan';
import type { Start } from '../../service/portolan/start';
import { canAsk } from '../terminal/prompts';
import { ApprovalDesk } from './approval-desk';
import { rowsNotShown } from '../../service/run/read-run';
import { endingBlock } from './render/ending';
import { ledgerBlock } from './render/ledger';
import { planBlock } from './render/plan';
import { runHeader, takeoverBlock } from './render/run-header';
import { verificationBlock } from './render/verification';
import { RunDisplay } from './run-display';
import { exitStatusOf, type RunView, targetOf } from '../../service/run/run-view';

/** Where somebody answers runs. Each returns false where nobody could be asked, `later` where the person left without an answer. */
export interface Desk {
  /** Of a plan that waits. */
  answer(portolan: Portolan, record: RunRecord, output: Output): Promise<boolean | 'later'>;
  /** Of a parked run. @default nobody is asked */
  answerParked?(portolan: Portolan, record: RunRecord, output: Output): Promise<boolean | 'later'>;
}

export interface Following extends Pick<FollowOptions, 'timeoutMs' | 'statusOf'> {
  /** False prints the record as it stands once the run is accepted. */
  readonly wait: boolean;
  readonly requestId?: string;
  /** Is told once nothing stands against the run, before it begins where that can be. */
  readonly onPrepared?: () => void;
  /** Options as they were typed, for the command that a hint names. @default none */
  readonly typed?: string;
}

/**
 * Begins a run and follows it to its end; whoever sits here is asked for its approval. Returns the exit status;
 * undefined where there is nothing left to be tried again.
 */
export async function beginAndFollow(
  portolan: Portolan,
  output: Output,
  start: Start,
  { wait, requestId, typed, onPrepared, ...following }: Following,
): Promise<number | undefined> {
  const by: Begin = {
    ...{ requestId, typed, attended: wait && canAsk() },
    say: (words) => output.note(words),
    onPrepared: (takeover) => {
      onPrepared?.();
      if (takeover) output.note(`${takeoverBlock(takeover, output.side)}\n`);
    },
  };
  const begun = await portolan.begin(start, by);
  if (!begun) return undefined;
  const { runId, approval, planOnly } = begun;
  output.note(runHeader({ ...begun, place: portolan.place }, output.side));
  if (!wait) {
    const { record } = await portolan.seekRun(runId);
    output.show(record, () => runId);
    return exitStatus.done;
  }
  const { exit } = await followRun(portolan, runId, output, {
    ...{ ...following, planOnly, leaveWhenWaiting: true },
    approval: approval && new ApprovalDesk(approval),
  });
  return exit;
}

/** The same of what always begins. */
export const startAndFollow = async (...asked: Parameters<typeof beginAndFollow>): Promise<number> =>
  (await beginAndFollow(...asked)) ?? exitStatus.done;

export interface FollowOptions {
  /** Ends the waiting, never the run. @format milliseconds */
  readonly timeoutMs?: number;
  /** Who may answer a plan that waits; where nobody may, watching goes on or ends with status 4. */
  readonly approval?: Desk;
  /** Stop watching when a plan waits for a person who is not here; of a parked run that is always so. */
  readonly leaveWhenWaiting: boolean;
  /** The plan is what was asked for: it is printed among the data, not beside it. @default false */
  readonly planOnly?: boolean;
  /** Status for a run that ended like this. @default that of its record */
  readonly statusOf?: (record: RunRecord) => number;
}

/** How following a run ended: the run as it was last, and the status for the command. */
export interface Followed {
  readonly record?: RunRecord;
  readonly exit: number;
}

/** Shows a run as it goes on, asks for an approval where somebody can be asked, and prints how it ended. */
export async function followRun(
  portolan: Portolan,
  runId: string,
  output: Output,
  options: FollowOptions,
): Promise<Followed> {
  const display = new RunDisplay(process.stderr, output.side);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort('interrupted');
  process.on('SIGINT', interrupt);
  const timer =
    options.timeoutMs === undefined ? undefined : setTimeout(() => stop.abort('timeout'), options.timeoutMs);
  let last: RunView | undefined;
  let shownPlan: string | undefined;
  let seen = '';
  try {
    for await (const view of portolan.watchRun(runId, stop.signal)) {
      last = view;
      display.show(view);
      seen = announce(view, seen, output);
      const { record, open } = view;
      if (!open) break;
      if (record.plan !== undefined && planIdentity(record.plan) !== shownPlan && isAnswering(record)) {
        shownPlan = planIdentity(record.plan);
        display.release();
        if (!options.planOnly) output.note(`\n${await planText(portolan, record, output.side)}\n`);
      }
      const parked = isParked(view);
      if (!parked && record.status !== 'waiting') continue;
      display.release();
      const desk = options.approval;
      const answered =
        (await (parked
          ? desk?.answerParked?.(portolan, record, output)
          : desk?.answer(portolan, record, output))) ?? false;
      if (parked && answered === false) break;
      if (answered === 'later') stop.abort('interrupted');
      if (answered === false && options.leaveWhenWaiting) break;
    }
  } finally {
    display.release();
    clearTimeout(timer);
  }
  // Still heeded while the ending is printed: whoever presses it then wants no command that dies without a word.
  return await finish(portolan, last, stop.signal, runId, output, options).finally(() =>
    process.off('SIGINT', interrupt),
  );
}

/** A run that was cancelled while it was parked is not parked any more, and comes to its end by itself. */
const isParked = ({ record, source }: RunView): boolean =>
  record.status === 'parked' && (record.parked !== undefined || source !== 'run');

/** The plan is what an answer is about, so it is shown from the approval on. */
const isAnswering = (record: RunRecord): boolean =>
  record.phases.some(({ name, status }) => name === 'approve' && status !== 'pending');

async function planText(portolan: Portolan, record: RunRecord, style: Style): Promise<string> {
  if (record.plan === undefined) return '';
  const { value: plan, why } = await portolan.readPlan(record);
  const block = planBlock(
    { figures: record.plan, plan, target: targetOf(record), run: shortRunId(record.runId) },
    style,
  );
  return why === undefined ? block : `${block}\n${style.colors.yellow(oneLine(rowsNotShown(why)))}`;
}

/** For programs: a line when a phase changes. */
function announce({ record }: RunView, seen: string, output: Output): string {
  const current = record.phases.findLast(({ status }) => status !== 'pending');
  const child = record.children?.at(-1);
  const now = [record.status, current?.name, current?.status, child?.runId, child?.status]
    .concat(record.window?.until)
    .join(' ');
  if (now !== seen && child !== undefined)
    output.event({ event: 'child', runId: record.runId, status: record.status, child });
  else if (now !== seen)
    output.event({ event: 'phase', runId: record.runId, status: record.status, phase: current });
  return now;
}

async function finish(
  portolan: Portolan,
  last: RunView | undefined,
  signal: AbortSignal,
  runId: string,
  output: Output,
  { planOnly = false, statusOf = exitStatusOf }: FollowOptions,
): Promise<Followed> {
  const record = last?.record;
  if (record === undefined || (last?.open === true && signal.aborted)) {
    const timedOut = signal.reason === 'timeout';
    output.note(
      `${timedOut ? 'Timed out' : 'Stopped watching'}; the run continues.  Target: ${record?.target ?? 'unknown'}.\nwatch    portolan run watch ${shortRunId(runId)}`,
    );
    if (record !== undefined && output.format !== 'table') output.show(record, () => '');
    return { record, exit: timedOut ? exitStatus.waitTimedOut : exitStatus.stoppedWaiting };
  }
  const status = statusOf(record);
  const plan = planOnly ? await planText(portolan, record, output.data) : '';
  output.show(record, (style) =>
    [plan, ...proof(record, style), endingBlock(record, style, { status })]
      .filter((block) => block !== '')
      .map((block) => `\n${block}`)
      .join('\n'),
  );
  return { record, exit: status };
}

/** What became of each item, and what was seen of it on the target. */
function proof({ items, verification }: RunRecord, style: Style): string[] {
  return [
    items === undefined ? '' : ledgerBlock(items, style),
    verification === undefined ? '' : verificationBlock(verification, style),
  ];
}

/** `--exit-code`: a plan that would change the target ends with its own status. */
export const planStatus = (record: RunRecord): number => {
  const { create, overwrite } = record.plan ?? { create: 0, overwrite: 0 };
  const status = exitStatusOf(record);
  return status === exitStatus.done && create + overwrite > 0 ? exitStatus.differences : status;
};
