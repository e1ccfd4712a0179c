import { exitStatus } from '../../model/errors/error-codes';
import type { RunRoute } from '../../model/transfer/route';
import type { ApprovalDesk } from './approval-desk';
import { type FollowOptions, followRun } from './follow-run';
import type { Output } from '../terminal/output';
import { readRun, type RunSources } from './read-run';
import { runHeader } from './render/run-header';
import type { StartedRun } from './start-run';

export interface Following extends Pick<FollowOptions, 'timeoutMs' | 'planOnly' | 'statusOf'> {
  readonly route: RunRoute;
  /** False prints the record as it stands once the run is accepted. */
  readonly wait: boolean;
  /** Names of those that take work. */
  readonly workers: readonly string[];
  /** Who may answer a plan that waits. */
  readonly approval?: ApprovalDesk;
}

/** Starts a run and follows it to its end. Returns the exit status. */
export async function startAndFollow(
  sources: RunSources,
  output: Output,
  start: () => Promise<StartedRun>,
  { route, wait, workers, ...following }: Following,
): Promise<number> {
  const started = await start();
  output.note(runHeader({ route, config: sources.config.path, workers, ...started }, output.side));
  if (!wait) {
    const { record } = await readRun(sources, started.runId);
    output.show(record, () => started.runId);
    return exitStatus.done;
  }
  const { exit } = await followRun(sources, started.runId, output, { ...following, leaveWhenWaiting: true });
  return exit;
}
