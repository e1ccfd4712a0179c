import { reading } from '../run/activity-options';
import { known } from '../run/facts';
import { endWithoutPackage, packageOf } from '../transfer/export-job';
import { inHalves } from '../transfer/halved-package';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Waits for the package on the source. A sync then uses it to check that the target is another portal. */
export const waitExport = phase({
  name: 'wait-export',
  goesOnAs: 'export',
  needs: ['source'],
  async run(run: TransferRun, { source }): Promise<PhaseEnd> {
    const one = known(run, 'toFetch');
    const job = { name: 'export', side: 'source', part: one.index } as const;
    const made = await packageOf(run, job, known(one, 'exported')).catch((thrown: unknown) =>
      inHalves(run, one, thrown),
    );
    if ('then' in made) return made;
    if ('kind' in made) {
      one.exported = made;
      return endWithoutPackage(source.name, made);
    }
    one.onSource = made.itemId;
    const { target } = run.facts;
    // One package per run suffices as evidence.
    if (target && one.index === 0)
      await reading('whether source and target differ', target.name).proveTwoPortals({
        source,
        target,
        packageItemId: made.itemId,
      });
    return { detail: made.detail, attempts: made.polls };
  },
});
