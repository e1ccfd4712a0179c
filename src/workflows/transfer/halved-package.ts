import { reading, sweeping } from '../run/activity-options';
import { known } from '../run/facts';
import { errorRecordOf } from '../run/failure';
import type { Give, PhaseEnd } from '../run/phase';
import type { TransferRun } from './transfer-run';

/**
 * Splits a package that exceeds the limit in two, and exports the first half. Rethrows other errors, and throws
 * PACKAGE_TOO_LARGE if the package holds a single item.
 *
 * @param packageItemId the package on the portal that made it, whose item shows its size
 */
export async function inHalves(
  run: TransferRun,
  give: Give<'requested'>,
  thrown: unknown,
  packageItemId?: string,
): Promise<PhaseEnd & { readonly then: 'export' }> {
  if (errorRecordOf(thrown, run.route).code !== 'PACKAGE_TOO_LARGE') throw thrown;
  const { packages, route } = run;
  if (packageItemId !== undefined && !(await saysThatItIsTooLarge(run, packageItemId))) throw thrown;
  const { parts } = await sweeping('split an oversized package', route.source.portal).halvePart({
    runId: run.input.runId,
    part: packages.index,
    route,
  });
  give({ requested: { ...known(run.facts, 'requested'), parts } });
  packages.cut();
  return {
    status: 'skipped',
    detail: `package ${packages.index + 1} exceeds the limit; now ${parts} packages`,
    then: 'export',
  };
}

/** Whether the item's size exceeds the limit too. If not, the download was endless, which splitting cannot fix. */
async function saysThatItIsTooLarge(run: TransferRun, itemId: string): Promise<boolean> {
  const portal = known(run.facts, 'source');
  const { sizeBytes = 0 } = await reading(`package on ${portal.name}`, portal.name).findPackage({
    portal,
    itemId,
  });
  return sizeBytes > run.route.options.limits.packageBytes;
}
