import { allHandlersFinished, condition, continueAsNew } from '@temporalio/workflow';
import { mapLimited } from '../../model/map-limited';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { Proof } from '../../model/run/signature';
import type { RunInput } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import { signPart } from '../run/activity-options';
import { refusal } from '../run/failure';
import { isLong } from '../run/long-history';
import { endOfPart, noteUnseen, type PartEnd, startPart } from '../run/part-run';
import type { Progress, PromotionRun } from './promotion-run';

/** The workflow, as it continues itself. */
type PromotionWorkflow = (input: PromotionInput, before?: Progress) => Promise<RunState>;

/** What a run of a group is to do, in the words of its record. */
type Does = 'plan' | 'import' | 'undo';

/**
 * Does something with groups, so many at a time, in their order; no further one is begun once one of them is not well.
 * Goes on as another execution where this one has become long.
 *
 * @param work returns whether the group is well
 */
export async function eachGroup(
  run: PromotionRun,
  {
    phase,
    indices,
    concurrency,
  }: { readonly phase: string; readonly indices: readonly number[]; readonly concurrency: number },
  work: (index: number) => Promise<boolean>,
): Promise<void> {
  let isWell = true;
  let left = indices.length;
  await mapLimited(indices, concurrency, async (index) => {
    if (!isWell || run.scope.consideredCancelled || isLong()) return;
    isWell = (await work(index)) && isWell;
    left -= 1;
    await run.save();
  });
  if (!isWell || left === 0) return;
  await condition(allHandlersFinished);
  if (run.scope.consideredCancelled) throw refusal('CANCELLED', 'the promotion was cancelled');
  await continueAsNew<PromotionWorkflow>(run.input, run.progressIn(phase));
}

/** Runs a part of the promotion to its end, and shows it. A promotion that is cancelled cancels its parts. */
export async function runPart(
  run: PromotionRun,
  kind: 'restore' | 'rollback',
  input: RunInput & { readonly parent: string; readonly proof?: Proof },
  { index, does }: { readonly index: number; readonly does: Does },
): Promise<PartEnd> {
  const { runId } = input;
  const { name = '' } = run.input.groups[index] ?? {};
  run.note({ runId, name, does, items: 0, status: 'running' });
  const end = await endOfPart(input, async () => {
    const signed = { ...input, proof: await signPart(input) };
    const handle = await startPart(
      kind,
      signed,
      `${does} ${name}: ${run.input.route.name}/${run.input.stage}`,
    );
    run.underWay.add(handle);
    return await handle.result().finally(() => run.underWay.delete(handle as never));
  });
  run.note({ runId, name, does, items: itemsOf(end.state), status: end.status });
  if (!end.state && does !== 'plan') noteUnseen(run, runId);
  return end;
}

/** How many items a run of a group was about. */
const itemsOf = (state: Partial<RunState> | undefined): number => {
  const { plan, items } = state ?? {};
  return items?.imported ?? (plan ? plan.create + plan.overwrite : 0);
};

/** How many imports at a time the stage's portal is given. */
export const importConcurrency = ({ input }: PromotionRun): number =>
  input.route.target.concurrency?.imports ?? 1;
