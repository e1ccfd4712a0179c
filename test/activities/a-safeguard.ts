import type { CompleteSafeguard } from '../../src/activities/transfer/safeguards';
import { json, type Reply, words } from '../portal/raw-portal';

/** A safeguard of the run `r`, whose items no package holds: each is copied. */
export const aSafeguard = (more: Partial<CompleteSafeguard>): CompleteSafeguard => {
  const safeguard = {
    runId: 'r',
    route: { name: 'transport', target: { groupId: 'g' }, options: { limits: { itemBytes: 1024 } } },
    target: {
      name: 'staging',
      url: 'https://staging.test',
      portalId: 'p',
      version: '11.3',
      aliases: [],
      addresses: [],
    },
    packages: [],
    imported: 0,
    ...more,
  };
  return safeguard as unknown as CompleteSafeguard;
};

/** What a portal answers of a table in the group, all that a copy reads. */
export const aTable = (id: string, data: Reply = words('a,b')): Record<string, Reply> => ({
  [`content/items/${id}`]: json({ id, title: 'Counts', type: 'CSV', owner: 'owner' }),
  [`content/items/${id}/groups`]: json({ admin: [], member: [{ id: 'g' }], other: [] }),
  [`content/items/${id}/data`]: data,
  [`content/items/${id}/resources`]: json({ resources: [] }),
});
