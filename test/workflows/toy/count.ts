import type { Phase } from '../../../src/workflows/run/phase';
import type { TransferRun } from '../../../src/workflows/transfer/transfer-run';

/** A phase that a contributor adds: it counts the requested items. */
export const count: Phase<TransferRun> = {
  name: 'count',
  async run(run) {
    const source = run.need('source');
    const requested = run.need('requested');
    return { detail: `${requested.count} items on ${source.name}` };
  },
};
