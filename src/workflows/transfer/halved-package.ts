import { reading, sweeping } from '../run/activity-options';
import { known } from '../run/facts';
import { errorRecordOf } from '../run/failure';
import type { PhaseEnd } from '../run/phase';
import { newPackages, type RunPackage } from './packages';
import type { TransferRun } from './transfer-run';

/**
 * A package that turned out to be over the limit is cut in two, and its first half is exported. Throws what was thrown
 * where that has another reason, and PACKAGE_TOO_LARGE where the package holds one item alone.
 */
export async function inHalves(
  run: TransferRun,
  one: RunPackage,
  thrown: unknown,
): Promise<PhaseEnd & { readonly then: 'export' }> {
  if (errorRecordOf(thrown, run.route).code !== 'PACKAGE_TOO_LARGE') throw thrown;
  const { packages, route } = run;
  const { index, round, onSource } = one;
  if (onSource !== undefined && !(await saysThatItIsTooLarge(run, onSource))) throw thrown;
  const { parts } = await sweeping('split an oversized package').halvePart({
    runId: run.input.runId,
    part: index,
    route,
  });
  // Those behind it, of which nothing is known yet, move on by one.
  run.packages = [
    ...packages.slice(0, index),
    { index, round: round + 1 },
    ...newPackages(parts).slice(index + 1),
  ];
  return {
    status: 'skipped',
    detail: `package ${index + 1} exceeds the limit; now ${parts} packages`,
    then: 'export',
  };
}

/** One that is small by its record and comes without end is no reason to ask for more. */
async function saysThatItIsTooLarge(run: TransferRun, itemId: string): Promise<boolean> {
  const portal = known(run.facts, 'source');
  const { sizeBytes = 0 } = await reading(`package on ${portal.name}`).findPackage({ portal, itemId });
  return sizeBytes > run.route.options.limits.packageBytes;
}
