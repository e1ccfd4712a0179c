import { toRecord } from '../../portal/http/reading';
import { compareReleases, releaseFrom, type Release } from '../../portal/http/versions';

/**
 * The table entry of a wire type.
 *
 * - `since`: first release whose export takes the type; absent if every release does (export itself begins at
 * 10.8.1).
 * - `until`: last release that lists the type; later ones do not mention it.
 * - `exportable: false`: in no list of exportable types, so the portal decides.
 * - `json`: the item's data is a JSON document with references.
 */
export interface ItemTypeFacts {
  readonly exportable: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly json?: boolean;
}

const file: ItemTypeFacts = { exportable: true };
const document: ItemTypeFacts = { exportable: true, json: true };
const unlistedDocument: ItemTypeFacts = { exportable: false, json: true };

/**
 * Item types by wire name. Exportable ones and their releases: docs/reference/portal-interface.md, "Item types"; the
 * two with `until` were listed only for 10.8.1. Of the other types, only those whose data holds references.
 */
export const itemTypes: Readonly<Record<string, ItemTypeFacts>> = {
  'CAD Drawing': file,
  'Code Attachment': file,
  CSV: file,
  'CSV Collection': file,
  'Deep Learning Package': file,
  'Desktop Application Template': file,
  'Feature Service': document,
  'File Geodatabase': file,
  GeoJson: file,
  GeoPackage: file,
  Image: file,
  'Image Collection': file,
  KML: file,
  'KML Collection': file,
  'Map Template': file,
  'Microsoft Excel': file,
  'Microsoft Powerpoint': file,
  'Microsoft Word': file,
  PDF: file,
  Shapefile: file,
  'SQLite Geodatabase': file,
  'Visio Document': file,
  'Web Map': document,
  'Web Mapping Application': document,
  'Web Scene': document,
  StoryMap: { ...document, since: '11.0' },
  'StoryMap Theme': { ...document, since: '11.0' },
  'Web Experience': { ...document, since: '11.1' },
  'Web Experience Template': { ...document, since: '11.1' },
  'ArcPad Package': { exportable: true, until: '10.8.1' },
  'CityEngine Web Scene': { exportable: true, until: '10.8.1' },

  Dashboard: unlistedDocument,
  'Feature Collection': unlistedDocument,
  'Hub Page': unlistedDocument,
  'Hub Site Application': unlistedDocument,
};

/** First release whose export takes apps made with Instant Apps: docs/reference/portal-interface.md, "Item types". */
export const instantAppsSince = '10.9.1';

/** The entry of a wire type; `undefined` for unknown ones. */
export const itemTypeFacts = (type: string): ItemTypeFacts | undefined =>
  Object.hasOwn(itemTypes, type) ? itemTypes[type] : undefined;

/** Whether the data of an item of this type is a JSON document that can hold references. */
export const holdsReferences = (type: string): boolean => itemTypeFacts(type)?.json === true;

/** The fields of an item record needed to classify it; any may be missing. */
export interface ClassifiableItem {
  readonly id: string;
  readonly type?: string | null;
  readonly title?: string | null;
  readonly typeKeywords?: readonly string[] | null;
  readonly url?: string | null;
}

/**
 * Whether an export takes an item. `skipped` only for what the documentation excludes by name, known marks, and
 * types before their first release. `unknown` leaves it to the portal: nothing is refused for it, and the run
 * reports it.
 */
export type Classification =
  | { readonly verdict: 'exportable' }
  | { readonly verdict: 'skipped'; readonly reason: string }
  | { readonly verdict: 'unknown'; readonly reason: string };

const exportable: Classification = { verdict: 'exportable' };
const skipped = (reason: string): Classification => ({ verdict: 'skipped', reason });
const unknown = (reason: string): Classification => ({ verdict: 'unknown', reason });

const hasKeyword = (item: ClassifiableItem, pattern: RegExp): boolean =>
  (item.typeKeywords ?? []).some((keyword) => pattern.test(keyword));

/** Whether a record is a hosted feature service, whose data is exported with it. */
export const isHostedService = (item: ClassifiableItem): boolean =>
  item.type === 'Feature Service' &&
  hasKeyword(item, /^hosted service$/i) &&
  !hasKeyword(item, /^view service$/i);

/** URLs of the hosted services among items; they show where the hosting server is. */
export const hostedAddresses = (items: readonly ClassifiableItem[]): string[] =>
  items.flatMap((item) => (isHostedService(item) && item.url ? [item.url] : []));

/**
 * Classifies one item for the release of the source portal.
 *
 * @param data the item's data, where it was read: it tells a group's app from a map's
 */
export function classifyItem(
  item: ClassifiableItem,
  release: Release | undefined,
  data?: unknown,
): Classification {
  if (!item.type) return unknown('the portal does not report its type');
  const facts = itemTypeFacts(item.type);
  if (!facts?.exportable)
    return unknown(`type ${item.type} is not a known exportable type; the portal decides`);
  if (item.type === 'Feature Service') return classifyService(item);
  if (item.type === 'Web Mapping Application') return classifyApp(item, release, data);
  if (facts.until !== undefined) {
    return release !== undefined && compareReleases(release, fromTable(facts.until)) <= 0
      ? exportable
      : unknown(
          `type ${item.type} was exportable at ${facts.until} but is no longer listed; the portal decides`,
        );
  }
  return facts.since === undefined ? exportable : since(item.type, facts.since, release);
}

/**
 * docs/reference/portal-interface.md, "Item types". That spatiotemporal and proxied services are left out is
 * documented, their marks are assumed: by these alone none is called skipped.
 */
function classifyService(item: ClassifiableItem): Classification {
  if (hasKeyword(item, /^view service$/i)) return skipped('a hosted feature service view cannot be exported');
  if (!isHostedService(item))
    return skipped('this portal does not host the service, so it cannot be exported');
  if (hasKeyword(item, /spatiotemporal/i)) return seems('a spatiotemporal feature service');
  if (hasKeyword(item, /^service proxy$/i) || /\/sharing\/(servers|appservices)\//i.test(item.url ?? ''))
    return seems('a proxied feature service');
  return exportable;
}

const seems = (what: string): Classification =>
  unknown(`it seems to be ${what}, which portals do not export; the portal decides`);

function classifyApp(item: ClassifiableItem, release: Release | undefined, data: unknown): Classification {
  if (isGroupApp(data)) return skipped('an app configured by a group cannot be exported');
  // The marks of Instant Apps are assumed, so an older portal decides.
  const instant = hasKeyword(item, /instant[\s_-]?app/i) || /\/apps\/instant\//i.test(item.url ?? '');
  if (!instant) return exportable;
  const known = since('Instant Apps', instantAppsSince, release);
  if (known.verdict !== 'skipped' || release === undefined) return known;
  return unknown(
    `it seems to be made with Instant Apps, which are exported from ${instantAppsSince}; this portal runs ${release.text} and decides`,
  );
}

function since(what: string, first: string, release: Release | undefined): Classification {
  if (release === undefined)
    return unknown(`${what} is exported from version ${first}, but this portal reports no version`);
  return compareReleases(release, fromTable(first)) >= 0
    ? exportable
    : skipped(`${what} is exported from version ${first}; this portal runs ${release.text}`);
}

function fromTable(text: string): Release {
  const release = releaseFrom(text);
  if (release === undefined) throw new TypeError(`${text} is not a version`);
  return release;
}

const id32 = /^[0-9a-f]{32}$/i;

const valuesOf = (data: unknown): Record<string, unknown> | undefined => toRecord(toRecord(data)?.['values']);

/** Whether an app's data has it configured by `values.group`, and by no map or scene. */
export function isGroupApp(data: unknown): boolean {
  const values = valuesOf(data);
  return Boolean(values?.['group']) && !values?.['webmap'] && !values?.['webscene'];
}

/** Id of the group that an app's data names in `values.group`, beside a map or not. */
export function groupShownBy(data: unknown): string | undefined {
  const group = [valuesOf(data)?.['group']].flat()[0];
  return typeof group === 'string' && id32.test(group.trim()) ? group.trim().toLowerCase() : undefined;
}
