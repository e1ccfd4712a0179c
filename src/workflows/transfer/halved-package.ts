import { reading, sweeping } from '../run/activity-options';
import { known } from '../run/facts';
import { errorRecordOf } from '../run/failure';
import type { Give, PhaseEnd } from '../run/phase';
import type { TransferRun } from './transfer-run';

/**
 * A package that turned out to be over the limit is cut in two, and its first half is exported. Throws what was thrown
 * where that has another reason, and PACKAGE_TOO_LARGE where the package holds one item alone.
 *
 * @param packageItemId where the package was made: its record is asked how large it is
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

/** One that is small by its record and comes without end is no reason to ask for more. */
async function saysThatItIsTooLarge(run: TransferRun, itemId: string): Promise<boolean> {
  const portal = known(run.facts, 'source');
  const { sizeBytes = 0 } = await reading('package', portal.name).findPackage({ portal, itemId });
  return sizeBytes > run.route.options.limits.packageBytes;
}
