import type { ChangeInput } from '../../model/portal-change/change';
import type { RunKind } from '../../model/run/run';
import { followRun } from '../run/follow-run';
import { portolanWith } from '../../service/local';
import type { WriteContext } from '../../service/run/run-sources';
import {
  type ChangeRequest,
  changeStartedBefore,
  startChange,
  type StartedRun,
} from '../../service/run/start-run';
import type { Output } from '../terminal/output';

/** Options for starting and following a change. */
export interface ChangeOptions extends ChangeRequest {
  /** How long to follow it. @default to its end */
  readonly timeoutMs?: number;
}

/** Starts a change, prints its run ID and follows it to its end or for `timeoutMs`. Returns the exit status. */
export async function runChange<Input extends ChangeInput>(
  kind: RunKind,
  sources: WriteContext,
  output: Output,
  start: Omit<Input, 'startedBy'>,
  options: ChangeOptions,
): Promise<number> {
  return await follow(await startChange<Input>(kind, sources, start, options), sources, output, options);
}

/** Follows the change this request ID has already started, as `runChange` does; undefined if there is none. */
export async function followRequested(
  kind: RunKind,
  sources: WriteContext,
  output: Output,
  portal: string,
  options: ChangeOptions,
): Promise<number | undefined> {
  const started = await changeStartedBefore(kind, sources, portal, options);
  return started && (await follow(started, sources, output, options));
}

async function follow(
  { runId }: StartedRun,
  sources: WriteContext,
  output: Output,
  { timeoutMs }: ChangeOptions,
): Promise<number> {
  output.note(output.side.colors.bold(runId));
  const { exit } = await followRun(portolanWith(sources), runId, output, {
    timeoutMs,
    leaveWhenWaiting: true,
  });
  return exit;
}
