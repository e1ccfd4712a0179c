import { account } from './bisect/account';
import { BisectRun } from './bisect/bisect-run';
import { search } from './bisect/search';
import { defineRun } from './run/define-run';
import type { Kind } from './run/phase';

const kind: Kind<BisectRun> = {
  name: 'bisect',
  bindsTask: true,
  notifies: true,
  followsVersion: true,
  last: account, // merges the results of the child runs
  verdict({ state: { items, children = [] } }) {
    const open =
      (items?.failed ?? 0) + (items?.notImported ?? 0) + (items?.unaccounted ?? 0) + (items?.blocked ?? 0);
    if (open > 0 || !items || children.some(({ status }) => status === 'partial')) return 'partial';
    return items.imported > 0 ? 'succeeded' : 'nothing-to-do';
  },
};

/**
 * Finds the items that make an import fail, by halving. Each part is a sync with one import, which imports the good
 * items on the way.
 */
export const bisect = defineRun(kind, BisectRun, () => [search]);
