import { Option } from '@commander-js/extra-typings';
import type { ChangeInput } from '../../model/portal-change/change';
import type { RunKind } from '../../model/run/run';
import { followRun } from '../run/follow-run';
import type { RunSources } from '../run/run-sources';
import { startChange } from '../run/start-run';
import { durationArgument } from '../terminal/arguments';
import type { Output } from '../terminal/output';

/** `--timeout` of a command that changes a portal. */
export const changeTimeout = () =>
  new Option('--timeout <duration>', 'end the waiting after that long (124), never the change').argParser(
    durationArgument,
  );

/** Starts a change, says its id, and follows it to its end, `timeoutMs` at most. Returns the exit status. */
export async function runChange<Input extends ChangeInput>(
  kind: RunKind,
  sources: Required<RunSources>,
  output: Output,
  start: Omit<Input, 'startedBy'>,
  timeoutMs: number | undefined,
): Promise<number> {
  const { runId } = await startChange<Input>(kind, sources.config, sources.temporal, start);
  output.note(output.side.colors.bold(runId));
  const { exit } = await followRun(sources, runId, output, { timeoutMs, leaveWhenWaiting: true });
  return exit;
}
