import { Option } from '@commander-js/extra-typings';
import type { ChangeInput } from '../../model/portal-change/change';
import type { RunKind } from '../../model/run/run';
import { durationArgument } from '../terminal/arguments';
import { followChange } from './follow-change';
import type { Output } from '../terminal/output';
import { type ChangeStart, startChange } from './start-change';
import type { RunSources } from '../run/run-sources';

/** `--timeout` of a command that changes a portal. */
export const changeTimeout = () =>
  new Option('--timeout <duration>', 'end the waiting after that long (124), never the change').argParser(
    durationArgument,
  );

/** Starts a change, says its id, and waits for its end, `timeoutMs` at most. Returns the exit status. */
export async function runChange<Input extends ChangeInput>(
  kind: RunKind,
  sources: RunSources & Required<Pick<RunSources, 'temporal'>>,
  output: Output,
  start: ChangeStart<Input>,
  timeoutMs: number | undefined,
): Promise<number> {
  await startChange<Input>(kind, sources.config, sources.temporal, start);
  output.note(output.side.colors.bold(start.runId));
  return await followChange(sources, start.runId, output, { timeoutMs });
}
