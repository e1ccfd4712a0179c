import { reading, transferring } from '../run/calls';
import { have } from '../run/context';
import { ANSWER_WITHIN_MS } from '../run/parking';
import type { Phase, PhaseEnd, Run } from '../run/run';
import type { Reuse } from '../../model/run/run-input';

/** The phases that make the package: a run that takes over that of an earlier one only looks at it. */
export const unlessReused = (phases: readonly Phase[]): Phase[] =>
  phases.map((phase) => ({
    name: phase.name,
    async run(run): Promise<PhaseEnd> {
      const { reuse } = run.input;
      if (!reuse) return await phase.run(run);
      if (phase.name === 'download') await adopt(run, reuse);
      return { status: 'skipped', detail: `package of ${reuse.runId}, sha256 ${shortSha(reuse.sha256)}` };
    },
  }));

/** The package that lies in the store, with what was requested when it was made. */
async function adopt(run: Run, { runId: from, sha256 }: Reuse): Promise<void> {
  const { items, itemList, keep, answerWithinMs = ANSWER_WITHIN_MS, jobDeadlineMs } = run.route.options;
  const adopted = await transferring(`package of ${from}`, run.transferQueue).adoptPackage({
    runId: run.input.runId,
    from,
    sha256,
    chosen: { items, itemList },
    keepMs: Math.max(keep.failedMs, answerWithinMs) + jobDeadlineMs,
  });
  run.context.package = adopted.package;
  run.context.requested = adopted.requested;
  run.state.package = { sizeBytes: adopted.package.sizeBytes, sha256, of: from };
}

/**
 * The package item that an earlier run left on the target, where it is still there and as long as the package is;
 * from then on it is this run's, and goes at its end.
 */
export async function itemLeftOnTarget(run: Run): Promise<string | undefined> {
  const itemId = run.input.reuse?.targetPackage;
  if (itemId === undefined) return undefined;
  const target = have(run.context, 'target');
  const { isThere, sizeBytes } = await reading(`package on ${target.name}`).findPackage({
    portal: target,
    itemId,
  });
  if (!isThere || sizeBytes !== have(run.context, 'package').sizeBytes) return undefined;
  run.context.wrote.target = true;
  run.context.isOnTarget = true;
  run.holds('target', itemId);
  return itemId;
}

export const shortSha = (sha256: string): string => `${sha256.slice(0, 4)}..${sha256.slice(-2)}`;
