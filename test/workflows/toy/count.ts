import { phase, type PhaseEnd } from '../../../src/workflows/run/phase';
import type { TransferRun } from '../../../src/workflows/transfer/transfer-run';

/** A phase as a contributor adds one: it says how many items there are to be counted. */
export const count = phase({
  name: 'count',
  needs: ['source', 'requested'],
  async run(_run: TransferRun, { source, requested }): Promise<PhaseEnd> {
    return Promise.resolve({ detail: `${requested.count} items on ${source.name}` });
  },
});
