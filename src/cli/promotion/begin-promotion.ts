import { admittedStart } from '../../domain/control/admitted-start';
import type { PromotionInput } from '../../model/release/promotion-input';
import { requestedRunId } from '../../model/run/new-run-id';
import { keys } from '../../store/keys';
import { requireAbleWorkers } from '../../service/run/able-workers';
import { ApprovalDesk } from '../run/approval-desk';
import { type Following, startAndFollow } from '../run/follow-run';
import { readNote, type ActingSources, type RunSources } from '../../service/run/run-sources';
import { type RunStart, startRun } from '../../service/run/start-run';
import type { Output } from '../terminal/output';

interface Asked {
  readonly pipeline: string;
  readonly requestId: string | undefined;
  /** What is to be started, by what stands where now. */
  readonly start: () => Promise<RunStart<PromotionInput>>;
  /** Whether a promotion that the request id has started is the one that is meant. */
  readonly isMeant: (before: PromotionInput) => boolean | Promise<boolean>;
}

/**
 * Starts a promotion and follows it. Where the request id has started it before, whatever stands where by now, follows
 * that one. Returns the exit status.
 */
export async function beginPromotion(
  sources: ActingSources,
  output: Output,
  { pipeline, requestId, start, isMeant }: Asked,
  following: Pick<Following, 'wait' | 'timeoutMs' | 'planOnly' | 'statusOf'>,
): Promise<number> {
  const before = requestId === undefined ? undefined : await startedBefore(sources, pipeline, requestId);
  const again = before && (await isMeant(before)) ? { runId: before.runId, isNew: false } : undefined;
  const begun = again && before ? before : await start();
  const { route, yes } = begun;
  const workers = await requireAbleWorkers(sources, [route.target.portal]);
  return await startAndFollow(
    sources,
    output,
    async (attended) => again ?? (await startRun('promotion', sources, { ...begun, attended })),
    { ...following, route, workers, approval: yes ? undefined : new ApprovalDesk(route.options.approval) },
  );
}

/** As it was let in; undefined where no worker has taken it yet: then nothing has changed by it. */
async function startedBefore(
  { store }: RunSources,
  pipeline: string,
  requestId: string,
): Promise<PromotionInput | undefined> {
  const runId = requestedRunId('promotion', pipeline, requestId);
  const { value } = await readNote(store, keys.start(runId), admittedStart);
  return value && { ...(value.input as PromotionInput), runId };
}
