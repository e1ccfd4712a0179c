import { NOTHING_TO_RETRY } from '../service/portolan/answers-view';
import { prepareStart } from '../service/portolan/prepare-start';
import { beginPrepared, type BegunRun, type Start } from '../service/portolan/start';
import { scheduledKinds } from '../model/schedule/schedule';
import { seekGroupRun } from '../service/run/find-run';
import type { WriteContext } from '../service/run/run-sources';
import { findSchedule, type ServerSchedule, startOfSchedule } from '../service/schedule/server-schedules';
import { type BoundStart, notifyingFailedStart } from '../service/start/failed-start';
import type { PreparedRun, Requested, Log } from '../service/start/prepared-run';
import {
  type Caller,
  requireEnds,
  requireNamed,
  requireOfRun,
  requireRightTo,
  requireUnlimited,
} from './access';
import { Refusal } from './problem';
import type { Sources } from './sources';

/** What is asked of workers and portals before a run begins may take so long. @format milliseconds */
const BEGINS_WITHIN_MS = 30_000;

/** Who begins something, and how. */
interface Beginning extends Requested {
  readonly caller: Caller;
  /** They are shown its plan, where that waits for a yes, and can answer. @default false */
  readonly attended?: boolean;
  /** What is done before it begins. @default nobody hears it */
  readonly say?: Log;
}

/** Prepares a run that somebody asks for, sees whether they may begin it, and begins it. */
export async function begin(
  sources: Sources,
  start: Start,
  { caller, requestId, attended = false, say = () => undefined }: Beginning,
): Promise<BegunRun> {
  requireMayAsk(caller, start);
  const work = (onPrepared?: () => void): Promise<BegunRun> =>
    sources.acting(
      caller,
      async (found) => {
        const asked = start.what === 'retry' ? await ofItsRun(caller, found, start) : start;
        const prepared = await prepareStart(found, asked, { requestId, say });
        if (!prepared) throw nothingToRetry();
        requireMayStart(caller, sources, prepared);
        onPrepared?.();
        return await beginPrepared(prepared, attended);
      },
      BEGINS_WITHIN_MS,
    );
  // A task of a portal is told by whoever could have started any run that is bound to it.
  const isTold = mayBeBound(start) && caller.routes === undefined;
  return isTold ? await notifyingFailedStart(sources.config, start, say, work) : await work();
}

/** Throws by what a start does besides beginning a run, before any of it is done. */
function requireMayAsk(caller: Caller, start: Start): void {
  const { yes, scheduledBy, bisect } = start.request as Partial<Record<string, unknown>>;
  // `yes` approves the plan, so it needs the same right.
  if (yes === true) requireRightTo(caller, 'approve');
  // These end a run that is parked before another one begins.
  if (scheduledBy !== undefined || bisect === true) requireRightTo(caller, 'operate');
  if (start.what !== 'stage rollback') return;
  requireNamed(caller, 'pipelines', start.pipeline);
  requireRightTo(caller, 'operate');
}

/** The run that is meant, once whoever asks may: preparing its retry can end it. */
async function ofItsRun(
  caller: Caller,
  found: WriteContext,
  start: Extract<Start, { what: 'retry' }>,
): Promise<Start> {
  const { record } = await seekGroupRun(found, start.run);
  requireOfRun(caller)(record);
  return { ...start, run: record.runId };
}

const mayBeBound = (start: Start): start is BoundStart =>
  start.what === 'sync' || start.what === 'backup' || start.what === 'restore';

/** Throws where whoever asks may start runs of other routes and pipelines only, or between other groups. */
function requireMayStart(
  caller: Caller,
  { config }: Sources,
  { kind, route }: Pick<PreparedRun, 'kind' | 'route'>,
): void {
  requireOfRun(caller)({ kind, route });
  requireEnds(caller, config, kind, route);
}

/**
 * The schedule of that name, where whoever asks may do more than look with what it starts: by what the server has, which
 * may be of another route than the file says by now. Throws `SCHEDULE_NOT_FOUND`.
 */
export async function findOwnSchedule(
  caller: Caller,
  { temporal, config }: WriteContext,
  name: string,
): Promise<ServerSchedule> {
  const schedule = await findSchedule(temporal, config, name);
  const { kind, route } = startOfSchedule(schedule);
  const known = scheduledKinds.find((each) => each === kind);
  // What another tool has made says of itself what it likes.
  if (!schedule.made || known === undefined || route === undefined) requireUnlimited(caller);
  else requireOfRun(caller)({ kind: known, route: { name: route } });
  return schedule;
}

const nothingToRetry = (): Refusal =>
  new Refusal(
    400,
    NOTHING_TO_RETRY,
    'There is nothing to retry: all items have arrived.',
    'See what the run has done: portolan run show',
  );
