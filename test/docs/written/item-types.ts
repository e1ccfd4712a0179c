import { instantAppsSince, type ItemTypeFacts, itemTypes } from '../../../src/domain/transfer/classify-item';
import { writtenBy } from './table';

export const itemTypesPage = (): string => `# Item types

${writtenBy('the table of item types')}

Portals can export these types, and Portolan copies them:

${exportable
  .filter(([, { until }]) => until === undefined)
  .map(listed)
  .join('\n')}

On ${droppedAfter()}, also:

${exportable
  .filter(([, { until }]) => until !== undefined)
  .map(listed)
  .join('\n')}

For any other type, such as Dashboard, the portal decides and usually skips the item. The results name each skipped item.

## Exceptions

- **Feature services** are copied with their data if the portal hosts them. Not copied: views, services on other servers, spatiotemporal and proxied services.
- **Apps configured by a group alone** are not copied. An app that shows a map and a group is copied, but keeps the ID of the source group. The plan names the group to set.
- **Apps made with Instant Apps** are copied from ${instantAppsSince} on.
`;

const exportable = Object.entries(itemTypes)
  .filter(([, facts]) => facts.exportable)
  .sort(([one], [other]) => one.localeCompare(other, 'en'));

const listed = ([type, { since }]: [string, ItemTypeFacts]) =>
  since === undefined ? `- ${type}` : `- ${type} (from ${since})`;

/** The last release that lists the types that later ones do not. */
function droppedAfter() {
  const releases = new Set(exportable.flatMap(([, { until }]) => until ?? []));
  if (releases.size !== 1) throw new Error('the page has one list of dropped types, for one release');
  return [...releases].join();
}
