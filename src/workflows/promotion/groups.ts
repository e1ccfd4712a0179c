import type { RunInput } from '../../model/run/run-input';
import { type PartEnd, runPart } from '../run/parts';
import type { PromotionRun } from './promotion-run';

/** Runs a child run for a group to its end, and shows it. */
export async function runGroup(
  run: PromotionRun,
  workflow: 'restore' | 'rollback',
  input: RunInput,
  { index, does }: { readonly index: number; readonly does: 'plan' | 'import' | 'undo' },
): Promise<PartEnd> {
  const { groups, route, stage } = run.input;
  const { name = '' } = groups[index] ?? {};
  return await runPart(run, workflow, input, {
    name,
    does,
    summary: `${does} ${name}: ${route.name}/${stage}`,
  });
}

/** Concurrent imports of the stage's portal. */
export const importConcurrency = ({ input }: PromotionRun): number =>
  input.route.target.concurrency?.imports ?? 1;
