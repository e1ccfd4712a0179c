import { mapLimited } from '../../model/map-limited';
import type { Proof } from '../../model/run/signature';
import type { RunInput } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import { signPart } from '../run/activity-options';
import { refusal } from '../run/failure';
import { continueRun, isLong } from '../run/continue';
import { endOfPart, noteUnseen, type PartEnd, startPart } from '../run/part-run';
import type { PromotionRun } from './promotion-run';

/** What a child run does with its group, as in the record. */
type Does = 'plan' | 'import' | 'undo';

/**
 * Processes groups in order, up to `concurrency` at a time. After a failure it starts no more. Continues as new if its
 * history is long.
 *
 * @param work returns whether the group succeeded
 */
export async function eachGroup(
  run: PromotionRun,
  { indices, concurrency }: { readonly indices: readonly number[]; readonly concurrency: number },
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
  await continueRun(run);
  throw refusal('CANCELLED', 'the promotion was cancelled');
}

/** Runs a child run of the promotion to its end, and shows it. Cancelling the promotion cancels it. */
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
    return await handle.result().finally(() => run.underWay.delete(handle));
  });
  run.note({ runId, name, does, items: itemsOf(end.state), status: end.status });
  if (!end.state && does !== 'plan') noteUnseen(run, runId);
  return end;
}

/** Number of items a child run was about. */
const itemsOf = (state: Partial<RunState> | undefined): number => {
  const { plan, items } = state ?? {};
  return items?.imported ?? (plan ? plan.create + plan.overwrite : 0);
};

/** Concurrent imports of the stage's portal. */
export const importConcurrency = ({ input }: PromotionRun): number =>
  input.route.target.concurrency?.imports ?? 1;
