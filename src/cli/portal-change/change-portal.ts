import type { Config } from '../../config/config';
import type { ChangeInput, DocumentChangeInput, TaskRunInput } from '../../model/portal-change/change';
import { exitStatus } from '../../model/errors/error-codes';
import { strong } from '../../model/text/sheet';
import type { RunKind } from '../../model/run/run';
import { requireAbleWorkers } from '../../service/run/compatible-workers';
import { withSources, type WriteContext } from '../../service/run/run-sources';
import { changeStartedBefore, portalRefOf, runIdFor, startChange } from '../../service/run/start-run';
import { portolanWith } from '../../service/local';
import { followRun } from '../run/follow-run';
import type { Output } from '../terminal/output';

/** A change of a portal, as it is typed. */
export interface Change {
  readonly kind: RunKind;
  readonly operation: string;
  readonly portal: string;
  /** The portal its new values come from, if any. */
  readonly from?: string;
  /** What else makes this request another one than an earlier request with its ID. */
  readonly asked: object;
  /** @format milliseconds */
  readonly timeout?: number;
  readonly requestId?: string;
  readonly reason?: string;
}

/** What the run of a change starts with, besides what every change has. */
export type Details<Input extends ChangeInput> = Omit<Input, keyof ChangeInput>;

/**
 * Starts the run of a change and follows it. A request ID that has started it before follows that run instead.
 * Returns the exit status.
 * @param prepare returns what the run starts with; undefined if the user declines
 */
export async function changePortal(
  config: Config,
  output: Output,
  { kind, operation, portal: name, from: source, asked, timeout, requestId, reason }: Change,
  prepare: (
    sources: WriteContext,
    runId: string,
  ) => Promise<Details<DocumentChangeInput> | Details<TaskRunInput> | undefined>,
): Promise<number> {
  const portal = portalRefOf(config, name);
  const from = source === undefined ? undefined : portalRefOf(config, source);
  return await withSources(config, async (sources) => {
    await requireAbleWorkers(sources, [name, source ?? name]);
    const request = { requestId, asked: { operation, portal, from, ...asked } };
    let started = await changeStartedBefore(kind, sources, name, request);
    if (!started) {
      const runId = runIdFor(kind, name, requestId);
      const details = await prepare(sources, runId);
      if (!details) return exitStatus.cancelled;
      const input = { runId, operation, portal, from, reason, ...details };
      started = await startChange<ChangeInput>(kind, sources, input, request);
    }
    const { runId } = started;
    output.note([{ lines: [strong(runId)] }]);
    const { exit } = await followRun(portolanWith(sources), runId, output, {
      timeoutMs: timeout,
      leaveWhenWaiting: true,
    });
    return exit;
  });
}
