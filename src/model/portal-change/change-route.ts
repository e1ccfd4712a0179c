import type { ChangeInput } from './change';

/** The ends of a change of a portal, as those of any run; without a schema, since workflow code needs it too. */
export const routeOfChange = ({ portal, from }: Pick<ChangeInput, 'portal' | 'from'>) => ({
  name: portal.portal,
  source: from,
  target: portal,
});
