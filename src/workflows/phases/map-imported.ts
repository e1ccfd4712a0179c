import { sweeping } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Writes the addresses and ids of the stage into what was imported, by the map with which the run was started. */
export const mapImported = phase({
  name: 'map',
  needs: ['target', 'plan'],
  async run(run: TransferRun, { target, plan }): Promise<PhaseEnd> {
    const { items, places, left } = await sweeping('addresses and IDs', target.name).mapImported({
      runId: run.input.runId,
      route: run.ends,
      target,
      planRef: plan.ref,
    });
    const detail = `${places} places in ${items} items`;
    return left > 0
      ? { status: 'failed', detail: `${detail}, ${left} items not mapped as expected` }
      : { detail };
  },
});
