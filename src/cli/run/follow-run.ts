import { setTimeout as sleep } from 'node:timers/promises';
import { exitStatus } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { oneLine } from '../../model/text/plain-text';
import { planIdentity } from '../../model/transfer/plan-hash';
import type { Output } from '../terminal/output';
import type { Style } from '../terminal/style';
import type { PreparedRun } from '../../service/start/prepared-run';
import { ApprovalDesk } from './approval-desk';
import { readPlan, readRun, rowsNotShown } from '../../service/run/read-run';
import { endingBlock } from './render/ending';
import { ledgerBlock } from './render/ledger';
import { planBlock } from './render/plan';
import { runHeader, takeoverBlock } from './render/run-header';
import { verificationBlock } from './render/verification';
import { RunDisplay } from './run-display';
import type { RunSources } from '../../service/run/run-sources';
import { exitStatusOf, type RunView, targetOf } from '../../service/run/run-view';

/** Where somebody answers runs. Each returns false where nobody could be asked, `later` where the person left without an answer. */
export interface Desk {
  /** Of a plan that waits. */
  answer(sources: RunSources, record: RunRecord, output: Output): Promise<boolean | 'later'>;
  /** Of a parked run. @default nobody is asked */
  answerParked?(sources: RunSources, record: RunRecord, output: Output): Promise<boolean | 'later'>;
  /** Whether somebody sits at it who will be asked. @default false */
  readonly isAttended?: boolean;
}

export interface Following extends Pick<FollowOptions, 'timeoutMs' | 'planOnly' | 'statusOf'> {
  /** False prints the record as it stands once the run is accepted. */
  readonly wait: boolean;
}

/** Begins a run and follows it to its end; whoever sits here is asked for its approval. Returns the exit status. */
export async function startAndFollow(
  sources: RunSources,
  output: Output,
  { route, workers, takeover, approval: asked, begin }: PreparedRun,
  { wait, ...given }: Following,
): Promise<number> {
  if (takeover) output.note(`${takeoverBlock(takeover, output.side)}\n`);
  const approval = asked && new ApprovalDesk(asked);
  const following = { ...given, approval };
  const started = await begin((wait && approval?.isAttended) || undefined);
  output.note(runHeader({ route, config: sources.config.path, workers, ...started }, output.side));
  if (!wait) {
    const { record } = await readRun(sources, started.runId);
    output.show(record, () => started.runId);
    return exitStatus.done;
  }
  const { exit } = await followRun(sources, started.runId, output, { ...following, leaveWhenWaiting: true });
  return exit;
}

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
  sources: RunSources,
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
    for await (const view of watchRun(sources, runId, stop.signal)) {
      last = view;
      display.show(view);
      seen = announce(view, seen, output);
      const { record, open } = view;
      if (!open) break;
      if (record.plan !== undefined && planIdentity(record.plan) !== shownPlan && isAnswering(record)) {
        shownPlan = planIdentity(record.plan);
        display.release();
        if (!options.planOnly) output.note(`\n${await planText(sources, record, output.side)}\n`);
      }
      const parked = isParked(view);
      if (!parked && record.status !== 'waiting') continue;
      display.release();
      const desk = options.approval;
      const answered =
        (await (parked
          ? desk?.answerParked?.(sources, record, output)
          : desk?.answer(sources, record, output))) ?? false;
      if (parked && answered === false) break;
      if (answered === 'later') stop.abort('interrupted');
      if (answered === false && options.leaveWhenWaiting) break;
    }
  } finally {
    display.release();
    clearTimeout(timer);
  }
  // Still heeded while the ending is printed: whoever presses it then wants no command that dies without a word.
  return await finish(sources, last, stop.signal, runId, output, options).finally(() =>
    process.off('SIGINT', interrupt),
  );
}

/** A run that was cancelled while it was parked is not parked any more, and comes to its end by itself. */
const isParked = ({ record, source }: RunView): boolean =>
  record.status === 'parked' && (record.parked !== undefined || source !== 'run');

/** The plan is what an answer is about, so it is shown from the approval on. */
const isAnswering = (record: RunRecord): boolean =>
  record.phases.some(({ name, status }) => name === 'approve' && status !== 'pending');

async function planText({ store }: RunSources, record: RunRecord, style: Style): Promise<string> {
  if (record.plan === undefined) return '';
  const { value: plan, why } = await readPlan(store, record);
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
  sources: RunSources,
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
      `${timedOut ? 'The wait is over' : 'Stopped watching'}; the run goes on.  Target: ${record?.target ?? 'unknown'}.\nwatch    portolan run watch ${shortRunId(runId)}`,
    );
    if (record !== undefined && output.format !== 'table') output.show(record, () => '');
    return { record, exit: timedOut ? exitStatus.waitTimedOut : exitStatus.stoppedWaiting };
  }
  const status = statusOf(record);
  const plan = planOnly ? await planText(sources, record, output.data) : '';
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

/** Often enough to look alive, seldom enough to be no load. */
const lookEveryMs = 400;

/** Looks that may fail in a row, such as while a server is brought back, before that is an error. */
const lookAgainForMs = 30_000;

/**
 * The run as it goes on, one view after the other; the last is of its end.
 * Ends early, with the view it had, when the signal fires.
 */
async function* watchRun(sources: RunSources, runId: string, signal: AbortSignal): AsyncGenerator<RunView> {
  let lostAt: number | undefined;
  while (!signal.aborted) {
    try {
      const view = await readRun(sources, runId);
      lostAt = undefined;
      yield view;
      if (!view.open) return;
    } catch (thrown) {
      const error = PortolanError.from(thrown);
      lostAt ??= Date.now();
      if (error.code === 'RUN_NOT_FOUND' || Date.now() - lostAt > lookAgainForMs)
        throw lostServer(sources, error);
    }
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

const lostServer = ({ config }: RunSources, error: PortolanError): PortolanError =>
  error.code === 'INTERNAL'
    ? new PortolanError(
        'TEMPORAL_UNREACHABLE',
        `Temporal at ${config.temporal.address} has not answered for ${lookAgainForMs / 1000} s; the run goes on when it is back.`,
        {},
        { cause: error },
      )
    : error;

/** `--exit-code`: a plan that would change the target ends with its own status. */
export const planStatus = (record: RunRecord): number => {
  const { create, overwrite } = record.plan ?? { create: 0, overwrite: 0 };
  const status = exitStatusOf(record);
  return status === exitStatus.done && create + overwrite > 0 ? exitStatus.differences : status;
};
