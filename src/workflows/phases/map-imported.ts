import { sweeping } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';
import { countOf } from '../../model/text/words';

/** Replaces URLs and IDs in the imported items by those of the stage, using the run's map. */
export const mapImported = phase({
  name: 'map',
  needs: ['target', 'plan'],
  async run(run: TransferRun, { target, plan }): Promise<PhaseEnd> {
    const { items, places, left } = await sweeping(`URLs and IDs on ${target.name}`, target.name).mapImported(
      {
        runId: run.input.runId,
        route: run.ends,
        target,
        planRef: plan.ref,
      },
    );
    const detail = `${countOf(places, 'place')} in ${countOf(items, 'item')}`;
    return left > 0
      ? { status: 'failed', detail: `${detail}, ${countOf(left, 'item')} not mapped as expected` }
      : { detail };
  },
});
