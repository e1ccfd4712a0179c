import { reading } from '../run/calls';
import { have } from '../run/context';
import { markPackage, packageOf } from './export-job';
import type { Phase, PhaseEnd } from '../run/run';

/** Waits until the package lies on the source, and, of a sync, proves by it that the target is another portal. */
export const waitExport: Phase = {
  name: 'wait-export',
  async run(run): Promise<PhaseEnd> {
    const source = have(run.context, 'source');
    const made = await packageOf(run, {
      name: 'export',
      side: 'source',
      started: have(run.context, 'exported'),
    });
    run.context.sourcePackage = made.itemId;
    const { target } = run.context;
    await Promise.all([
      markPackage(run, 'source', made.itemId),
      target &&
        reading('source and target are two portals').proveTwoPortals({
          source,
          target,
          packageItemId: made.itemId,
        }),
    ]);
    return { detail: made.detail, attempts: made.polls };
  },
};
