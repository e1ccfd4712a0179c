import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Portolan } from '../../contract/contract';
import type { How } from '../../contract/operation';
import type { RunView } from '../../contract/runs';
import type { BegunRun, Takeover } from '../../contract/starts';
import { exitStatus } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { targetStateText } from '../../model/run/phase';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import {
  type Block,
  type Facts,
  faint,
  notice,
  type Sheet,
  strong,
  type Value,
} from '../../model/text/sheet';
import { routeWords } from '../../model/text/words';
import type { Session } from '../terminal/act';
import type { Output } from '../terminal/output';
import { canAsk } from '../terminal/prompts';
import { typedName } from '../terminal/typed-options';
import { planSheet } from '../../service/run/plan-sheet';
import { ledgerSheet, verificationSheet } from '../../service/run/outcome-sheet';
import { endingSheet } from '../../service/run/run-sheet';
import { exitStatusOf } from '../../service/run/run-view';
import { ledgerWords, rowsNotShown } from '../../service/run/run-words';
import { readRows } from './read-rows';
import { RunDisplay } from './run-display';
import { WatchDesk } from './watch-prompt';

/** Starts a run, and says how far the caller can be asked. */
export type Start = (how: How) => Promise<BegunRun>;

/** Options of a command that starts a run. */
export interface Following extends Pick<FollowOptions, 'statusOf'> {
  /** False prints the record once the run is accepted. */
  readonly wait: boolean;
  /** Ends the waiting, never the run. @format milliseconds */
  readonly timeout?: number;
  readonly requestId?: string;
}

/** Starts a run and follows it to its end, asking for approval here. Returns the exit status. */
export async function startAndFollow(
  { portolan, output }: Session,
  start: Start,
  { wait, timeout: timeoutMs, requestId, statusOf }: Following,
): Promise<number> {
  const say = (words: string): void =>
    output.note(
      words.startsWith('warning') ? [{ lines: words.split('\n').map((line) => notice(line)) }] : words,
    );
  const begun = await start({ requestId, attended: wait && canAsk(), say });
  const { runId, approval, planOnly, takeover } = begun;
  const { title, facts } = runHeader(begun, portolan.place);
  output.note([
    takeover && takeoverBlock(takeover),
    { title, facts: [...facts, ['', faint('Ctrl-C stops watching, not the run')]] },
  ]);
  output.note('');
  if (!wait) {
    const { record } = await portolan.viewRun({ run: runId });
    output.show(record, () => runId);
    return exitStatus.done;
  }
  const { exit } = await followRun(portolan, runId, output, {
    timeoutMs,
    statusOf,
    planOnly,
    leaveWhenWaiting: true,
    approval: approval === 'ask' ? new WatchDesk(true) : undefined,
  });
  return exit;
}

/** The first lines about a run. @param place the path of the configuration, or the URL of a server */
export const runHeader = (
  { route, workers, runId, isNew }: Pick<BegunRun, 'route' | 'workers' | 'runId' | 'isNew'>,
  place: Portolan['place'],
): { readonly title: Value; readonly facts: Facts } => ({
  title: [strong(route.name), ' ', routeWords(route)],
  facts: [
    [place.label, place.words],
    ['workers', workers.join(', ')],
    ['run', `${runId}${isNew ? '' : ' (already started with this request id)'}`],
  ],
});

/** What a run reuses from an earlier run. */
export const takeoverBlock = ({ parent, verb, reuses, redoes, notes }: Takeover): Block => ({
  title: [
    verb,
    ' ',
    strong(parent.runId),
    ` (${[parent.status, `target: ${targetStateText(parent.target)}`, ledgerWords(parent.items)].filter(Boolean).join('; ')})`,
  ],
  facts: [
    ...(reuses.length > 0 ? reuses : ['nothing']).map(
      (each, at) => [at === 0 ? 'reuses' : '', each] as const,
    ),
    ['redoes', redoes.join(', ')],
    ...notes.map((note) => ['note', notice(note)] as const),
  ],
});

export interface FollowOptions {
  /** Ends the waiting, never the run. @format milliseconds */
  readonly timeoutMs?: number;
  /** Who can approve a waiting plan; without one, watching continues or ends with status 4. */
  readonly approval?: WatchDesk;
  /** Stop watching when a plan waits for someone else; always so for a parked run. */
  readonly leaveWhenWaiting: boolean;
  /** The plan is the result, so it goes to stdout. @default false */
  readonly planOnly?: boolean;
  /** Exit status for a run with this end. @default that of its record */
  readonly statusOf?: (record: RunRecord) => number;
}

/** The last record of a followed run, and the exit status. */
export interface Followed {
  readonly record?: RunRecord;
  readonly exit: number;
}

/** Shows a run's progress, asks for approval if someone can be asked, and prints the outcome. */
export async function followRun(
  portolan: Portolan,
  runId: string,
  output: Output,
  options: FollowOptions,
): Promise<Followed> {
  const display = new RunDisplay(output);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort('interrupted');
  process.on('SIGINT', interrupt);
  const timer =
    options.timeoutMs === undefined ? undefined : setTimeout(() => stop.abort('timeout'), options.timeoutMs);
  let last: RunView | undefined;
  let shownPlan: string | undefined;
  let seen = '';
  try {
    for await (const view of portolan.watchRun({ run: runId }, { signal: stop.signal })) {
      last = view;
      display.show(view);
      seen = announce(view, seen, output);
      const { record, open } = view;
      if (!open) break;
      if (record.plan !== undefined && record.plan.sha256 !== shownPlan && isAnswering(record)) {
        shownPlan = record.plan.sha256;
        display.release();
        if (!options.planOnly) {
          output.note('');
          output.note(await planOf(portolan, record));
          output.note('');
        }
      }
      const parked = isParked(view);
      if (!parked && record.status !== 'waiting') continue;
      display.release();
      const desk = options.approval;
      const answered =
        (await (parked
          ? desk?.answerParked(portolan, record, output)
          : desk?.answer(portolan, record, output))) ?? false;
      if (parked && answered === false) break;
      if (answered === 'later') stop.abort('interrupted');
      if (answered === false && options.leaveWhenWaiting) break;
    }
  } finally {
    display.release();
    clearTimeout(timer);
  }
  // Ctrl-C stays handled while the outcome is printed, so that the command never dies silently.
  return await finish(portolan, last, stop.signal, runId, output, options).finally(() =>
    process.off('SIGINT', interrupt),
  );
}

/** A run cancelled while parked is no longer parked and ends by itself. */
const isParked = ({ record, source }: RunView): boolean =>
  record.status === 'parked' && (record.parked !== undefined || source !== 'run');

/** The decision is about the plan, so it is shown from the approval phase on. */
const isAnswering = (record: RunRecord): boolean =>
  record.phases.some(({ name, status }) => name === 'approve' && status !== 'pending');

async function planOf(portolan: Portolan, record: RunRecord): Promise<Sheet> {
  const { rows, why } = await readRows(portolan, record);
  return [...planSheet(record, rows?.rows), why && { lines: [notice(rowsNotShown(why))] }];
}

/** For ndjson: an event when a phase changes. */
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
    const target = targetStateText(record?.target ?? 'unknown');
    output.note([
      {
        title: `${timedOut ? 'Timed out' : 'Stopped watching'}; the run continues. Target: ${target}.`,
        facts: [['watch', { command: `portolan run watch ${shortRunId(runId)}` }]],
      },
    ]);
    if (record !== undefined && output.format !== 'table') output.show(record, () => '');
    return { record, exit: timedOut ? exitStatus.waitTimedOut : exitStatus.stoppedWaiting };
  }
  const status = statusOf(record);
  const plan = planOnly ? await planOf(portolan, record) : [];
  output.note('');
  output.show(record, () => [
    ...plan,
    ...ledgerSheet(record.items),
    ...verificationSheet(record.verification),
    ...endingSheet(record, status),
  ]);
  return { record, exit: status };
}

/** Which exit status `--exit-code` asks for. Throws `USAGE` without `--plan-only`. */
export function statusWith(
  command: CommandUnknownOpts,
  { exitCode, planOnly }: { readonly exitCode?: true; readonly planOnly?: true },
): Following['statusOf'] {
  if (!exitCode) return undefined;
  if (planOnly) return planStatus;
  throw new PortolanError('USAGE', '--exit-code needs --plan-only.', {
    hint: `See: portolan ${typedName(command)} --help`,
  });
}

/** A plan that would change the target ends with its own status. */
const planStatus = (record: RunRecord): number => {
  const { create, overwrite } = record.plan ?? { create: 0, overwrite: 0 };
  const status = exitStatusOf(record);
  return status === exitStatus.done && create + overwrite > 0 ? exitStatus.differences : status;
};
