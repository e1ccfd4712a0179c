import { PortolanError } from '../model/errors/errors';
import type { ActingSources } from '../service/run/run-sources';
import type { StartedRun } from '../service/run/start-run';
import type { PreparedRun, Requested } from '../service/start/prepared-run';
import { type Caller, requireEnds, requireOfRun, requireRightTo, requireUnlimited } from './access';
import type { Sources } from './sources';

/** What is asked of workers and portals before a run begins may take so long. @format milliseconds */
const BEGINS_WITHIN_MS = 30_000;

/** Who begins something, and how. */
export interface Beginning extends Requested {
  readonly caller: Caller;
  /** A yes comes with the start: it is an approval as any other. @default false */
  readonly yes?: boolean;
}

/** Prepares a run, sees whether it may be begun by whoever asks, and begins it. */
export async function begin(
  sources: Sources,
  { caller, yes = false, requestId }: Beginning,
  prepare: (found: ActingSources, by: Requested) => Promise<PreparedRun | undefined>,
): Promise<StartedRun> {
  if (yes) requireRightTo(caller, 'approve');
  return await sources.acting(
    caller,
    async (found) => {
      const prepared = await prepare(found, { requestId });
      if (!prepared) throw new PortolanError('USAGE', 'There is nothing to retry: all items have arrived.');
      requireOfRun(caller)(prepared);
      requireEnds(caller, sources.config, prepared.kind, prepared.route);
      return await prepared.begin();
    },
    BEGINS_WITHIN_MS,
  );
}

/** Throws by what a schedule starts; one that stands in no file may be told something by whoever may do all. */
export function requireMaySchedule(caller: Caller, { config }: Sources, name: string): void {
  const known = config.schedules.get(name);
  if (!known) requireUnlimited(caller);
  else if ('pipeline' in known) requireOfRun(caller)({ kind: 'promotion', route: { name: known.pipeline } });
  else requireOfRun(caller)({ kind: 'sync', route: { name: known.route } });
}
