import type { ItemRecord } from '../state/records';
import type { Release } from '../versions';

/**
 * Item types that a group export includes, with the first release that does
 * (docs/reference/portal-interface.md, "Item types").
 */
const exportableSince: Readonly<Record<string, string>> = {
  'CAD Drawing': '10.8.1',
  'Code Attachment': '10.8.1',
  CSV: '10.8.1',
  'CSV Collection': '10.8.1',
  'Deep Learning Package': '10.8.1',
  'Desktop Application Template': '10.8.1',
  'Feature Service': '10.8.1',
  'File Geodatabase': '10.8.1',
  GeoJson: '10.8.1',
  GeoPackage: '10.8.1',
  Image: '10.8.1',
  'Image Collection': '10.8.1',
  KML: '10.8.1',
  'KML Collection': '10.8.1',
  'Map Template': '10.8.1',
  'Microsoft Excel': '10.8.1',
  'Microsoft Powerpoint': '10.8.1',
  'Microsoft Word': '10.8.1',
  PDF: '10.8.1',
  Shapefile: '10.8.1',
  'SQLite Geodatabase': '10.8.1',
  StoryMap: '11.0',
  'StoryMap Theme': '11.0',
  'Visio Document': '10.8.1',
  'Web Experience': '11.1',
  'Web Experience Template': '11.1',
  'Web Map': '10.8.1',
  'Web Mapping Application': '10.8.1',
  'Web Scene': '10.8.1',
};

/** Types that only the first release included. */
const onlyAtFirst: ReadonlySet<string> = new Set(['ArcPad Package', 'CityEngine Web Scene']);

/** Keywords of feature services that an export skips, with the reason. */
const unsupportedServices: readonly (readonly [keyword: string, reason: string])[] = [
  ['View Service', 'Views of hosted feature services are not supported.'],
  ['Spatiotemporal', 'Spatiotemporal feature services are not supported.'],
  ['Service Proxy', 'Proxied feature services are not supported.'],
];

/** Why an export of this release skips the item; undefined if it does not. */
export function reasonToSkip(
  item: Pick<ItemRecord, 'type' | 'typeKeywords'>,
  release: Release,
): string | undefined {
  if (onlyAtFirst.has(item.type) && !release.atLeast('10.9')) return undefined;
  const since = exportableSince[item.type];
  if (since === undefined) return `Items of type ${item.type} are not supported.`;
  if (!release.atLeast(since)) return `Items of type ${item.type} are supported from ${since} on.`;
  if (item.type === 'Web Mapping Application' && item.typeKeywords.includes('Instant Apps')) {
    if (!release.atLeast('10.9.1')) return 'Instant Apps are supported from 10.9.1 on.';
  }
  if (item.typeKeywords.includes('Group Template')) return 'Group-based app templates are not supported.';
  if (item.type !== 'Feature Service') return undefined;
  const found = unsupportedServices.find(([keyword]) => item.typeKeywords.includes(keyword));
  if (found) return found[1];
  if (!item.typeKeywords.includes('Hosted Service')) return 'Only hosted feature services are supported.';
  return undefined;
}
