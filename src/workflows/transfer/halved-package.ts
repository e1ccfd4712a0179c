import { patched } from '@temporalio/workflow';
import { sweeping } from '../run/calls';
import { known } from '../run/facts';
import { errorRecordOf } from '../run/failure';
import type { Give, PhaseEnd } from '../run/phase';
import type { TransferRun } from './transfer-run';

/**
 * A package that turned out to be over the limit is cut in two, and its first half is exported. Throws what was thrown
 * where that has another reason, and PACKAGE_TOO_LARGE where the package holds one item alone.
 */
export async function inHalves(
  run: TransferRun,
  give: Give<'requested'>,
  thrown: unknown,
): Promise<PhaseEnd & { readonly then: 'export' }> {
  const isTooLarge = errorRecordOf(thrown, run.route).code === 'PACKAGE_TOO_LARGE';
  if (!isTooLarge || !patched('what is over the limit is cut in two')) throw thrown;
  const { packages, route } = run;
  const { parts } = await sweeping('a package over the limit, in two').halvePart({
    runId: run.input.runId,
    part: packages.index,
    route,
  });
  give({ requested: { ...known(run.facts, 'requested'), parts } });
  packages.cut();
  return {
    status: 'skipped',
    detail: `package ${packages.index + 1} is over the limit; now there are ${parts}`,
    then: 'export',
  };
}
