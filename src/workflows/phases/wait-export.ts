import { reading } from '../run/activity-options';
import { endWithoutPackage, markPackage, packageOf } from '../transfer/export-job';
import { inHalves } from '../transfer/halved-package';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Waits for the package on the source. A sync then uses it to check that the target is another portal. */
export const waitExport = phase({
  name: 'wait-export',
  goesOnAs: 'export',
  needs: ['source', 'exported'],
  gives: ['exported', 'sourcePackage', 'requested'],
  async run(run: TransferRun, { source, exported }, give): Promise<PhaseEnd> {
    const job = { name: 'export', side: 'source', started: exported } as const;
    const made = await packageOf(run, job).catch((thrown: unknown) => inHalves(run, give, thrown));
    if ('then' in made) return made;
    if ('kind' in made) {
      give({ exported: made });
      return endWithoutPackage(source.name, made);
    }
    give({ sourcePackage: made.itemId });
    const { target } = run.facts;
    // One package per run suffices as evidence.
    const isProved = run.packages.index > 0 && run.sharesSteps;
    await Promise.all([
      markPackage(run, 'source', made),
      target &&
        !isProved &&
        reading('whether source and target differ', target.name).proveTwoPortals({
          source,
          target,
          packageItemId: made.itemId,
        }),
    ]);
    return { detail: made.detail, attempts: made.polls };
  },
});
