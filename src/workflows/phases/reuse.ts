import type { Reuse } from '../../model/run/run-input';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { reading, transferring } from '../run/activity-options';
import { type Facts } from '../run/facts';
import { DECISION_TIMEOUT_MS } from '../run/decision-timeout';
import type { Phase, PhaseEnd } from '../run/phase';
import { PACKAGES_STAY_MS } from './cleanup';
import type { TransferRun } from '../transfer/transfer-run';

/** Skips the phases that make the package if the run reuses an earlier run's. */
export const unlessReused = (phases: readonly Phase<TransferRun>[]): Phase<TransferRun>[] =>
  phases.map((each) => ({
    ...each,
    async run(run): Promise<PhaseEnd> {
      const { reuse } = run.input;
      if (!reuse) return await each.run(run);
      if (each.name === 'download') return await adopt(reuse).run(run);
      return { status: 'skipped', detail: reuseWords(reuse) };
    },
  }));

/** Adopts the stored package and the items requested when it was made. */
const adopt = (reuse: Reuse): Phase<TransferRun> => ({
  name: 'download',
  async run(run) {
    const { items, itemList, decisionTimeoutMs = DECISION_TIMEOUT_MS, jobDeadlineMs } = run.route.options;
    const { runId: from, sha256 } = reuse;
    const adopted = await transferring(`package of ${from}`, run.transferQueue).adoptPackage({
      runId: run.input.runId,
      from,
      sha256,
      chosen: { items, itemList },
      keepMs: Math.max(PACKAGES_STAY_MS, decisionTimeoutMs) + jobDeadlineMs,
    });
    const { package: stored, requested } = adopted;
    run.learn({ requested });
    run.packages = [{ index: 0, round: 1, stored }];
    run.show({ package: { sizeBytes: stored.sizeBytes, sha256, parts: 1, of: from } });
    return { status: 'skipped', detail: reuseWords(reuse) };
  },
});

const reuseWords = ({ runId, sha256 }: Reuse): string => `package of ${runId}, sha256 ${shortSha(sha256)}`;

/**
 * Finds the package item an earlier run left on the target, if its size still matches. This run then deletes it at
 * the end.
 */
export async function itemLeftOnTarget(
  run: TransferRun,
  target: Facts['target'],
  stored: PackageInStore,
): Promise<string | undefined> {
  const itemId = run.input.reuse?.targetPackage;
  if (itemId === undefined) return undefined;
  const { isThere, sizeBytes } = await reading(`package on ${target.name}`, target.name).findPackage({
    portal: target,
    itemId,
  });
  if (!isThere || sizeBytes !== stored.sizeBytes) return undefined;
  run.traces.reaches(true);
  run.traces.holds('target', itemId);
  return itemId;
}

export const shortSha = (sha256: string): string => `${sha256.slice(0, 4)}..${sha256.slice(-2)}`;
