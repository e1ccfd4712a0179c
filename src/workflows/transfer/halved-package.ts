import { reading, sweeping } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import type { PhaseEnd } from '../run/phase';
import { newPackages, type RunPackage } from './packages';
import type { TransferRun } from './transfer-run';

/**
 * Splits a package that exceeds the limit in two, and exports the first half. Rethrows other errors, and throws
 * PACKAGE_TOO_LARGE if the package holds a single item.
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
  const { parts } = await sweeping('split an oversized package', route.source.portal).halvePart({
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

/** Whether the item's size exceeds the limit too. If not, the download was endless, which splitting cannot fix. */
async function saysThatItIsTooLarge(run: TransferRun, itemId: string): Promise<boolean> {
  const portal = run.need('source');
  const { sizeBytes = 0 } = await reading(`package on ${portal.name}`, portal.name).findPackage({
    portal,
    itemId,
  });
  return sizeBytes > run.route.options.limits.packageBytes;
}
