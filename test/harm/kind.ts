import { type Kind, kinds } from '../harness/kinds';
import { copied, plantCopied } from './seeds';

/** A sync that bears slow portals for a while only. */
export const exposed: Kind = {
  ...kinds.sync,
  seeds: { target: { failExport: [copied] } },
  furnish(pair) {
    kinds.sync.furnish(pair);
    plantCopied(pair);
  },
  config: { limits: { packageBytes: '64MB', itemBytes: '32MB' } },
  sourcePortal: { timeout: '20s' },
  targetPortal: { timeout: '20s' },
};
