import { sweeping } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

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
    const detail = `${places} places in ${items} items`;
    return left > 0
      ? { status: 'failed', detail: `${detail}, ${left} items not mapped as expected` }
      : { detail };
  },
});
