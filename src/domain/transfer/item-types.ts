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
