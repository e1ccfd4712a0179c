import type { ActingSources } from '../service/run/run-sources';
import type { StartedRun } from '../service/run/start-run';
import { type BoundStart, notifyingFailedStart } from '../service/start/failed-start';
import type { PreparedRun, Requested } from '../service/start/prepared-run';
import { NOTHING_TO_RETRY } from '../service/portolan/answers-view';
import { type Caller, requireEnds, requireOfRun, requireRightTo, requireUnlimited } from './access';
import { Refusal } from './problem';
import type { Sources } from './sources';

/** What is asked of workers and portals before a run begins may take so long. @format milliseconds */
export const BEGINS_WITHIN_MS = 30_000;

/** Who begins something, and how. */
export interface Beginning extends Requested {
  readonly caller: Caller;
  /** A yes comes with the start: it is an approval as any other. @default false */
  readonly yes?: boolean;
  /** What is asked, where a task of a portal may be bound to it. */
  readonly bound?: BoundStart;
}

/** Prepares a run, sees whether it may be begun by whoever asks, and begins it. */
export async function begin(
  sources: Sources,
  { caller, yes = false, requestId, bound }: Beginning,
  prepare: (found: ActingSources, by: Requested) => Promise<PreparedRun | undefined>,
): Promise<StartedRun> {
  if (yes) requireRightTo(caller, 'approve');
  const work = (onPrepared?: () => void): Promise<StartedRun> =>
    sources.acting(
      caller,
      async (found) => {
        const prepared = await prepare(found, { requestId });
        if (!prepared) throw nothingToRetry();
        requireMayStart(caller, sources, prepared);
        onPrepared?.();
        return await prepared.begin();
      },
      BEGINS_WITHIN_MS,
    );
  // A task of a portal is told by whoever could have started any run that is bound to it.
  const isTold = bound && caller.routes === undefined;
  return isTold ? await notifyingFailedStart(sources.config, bound, () => undefined, work) : await work();
}

/** Throws where whoever asks may start runs of other routes and pipelines only, or between other groups. */
export function requireMayStart(
  caller: Caller,
  { config }: Sources,
  { kind, route }: Pick<PreparedRun, 'kind' | 'route'>,
): void {
  requireOfRun(caller)({ kind, route });
  requireEnds(caller, config, kind, route);
}

/** Throws by what a schedule starts; one that stands in no file may be told something by whoever may do all. */
export function requireMaySchedule(caller: Caller, { config }: Sources, name: string): void {
  const known = config.schedules.get(name);
  if (!known) requireUnlimited(caller);
  else if ('pipeline' in known) requireOfRun(caller)({ kind: 'promotion', route: { name: known.pipeline } });
  else requireOfRun(caller)({ kind: 'sync', route: { name: known.route } });
}

export const nothingToRetry = (): Refusal =>
  new Refusal(
    400,
    NOTHING_TO_RETRY,
    'There is nothing to retry: all items have arrived.',
    'See what the run has done: portolan run show',
  );
