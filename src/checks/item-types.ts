/**
 * What the table says about one wire type.
 *
 * - `since`: first release whose export takes the type; absent where every release does (export itself
 *   begins at 10.8.1).
 * - `until`: last release that lists the type; later ones say nothing about it.
 * - `exportable: false`: a type that the platform knows and that no list of exportable types names.
 * - `json`: the item's data is a JSON document in which references stand.
 */
export interface ItemTypeFacts {
  readonly exportable: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly json?: boolean;
}

const file: ItemTypeFacts = { exportable: true };
const document: ItemTypeFacts = { exportable: true, json: true };
const left: ItemTypeFacts = { exportable: false };
const leftDocument: ItemTypeFacts = { exportable: false, json: true };

/**
 * Item types by their wire name. Exportable ones and their releases: docs/portal-interface.md, "Item
 * types"; the two with `until` stood in the list of 10.8.1 only. Types that are known and in no list are
 * here too, so that the plan can name them as left out before the portal does.
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

  Application: left,
  Dashboard: leftDocument,
  'Data Pipeline': left,
  'Export Package': left,
  'Feature Collection': leftDocument,
  Form: left,
  'Geocoding Service': left,
  'Geometry Service': left,
  'Geoprocessing Service': left,
  'Hub Page': leftDocument,
  'Hub Site Application': leftDocument,
  'Image Service': left,
  'Insights Workbook': left,
  'Layer Package': left,
  'Locator Package': left,
  'Map Package': left,
  'Map Service': left,
  'Mobile Map Package': left,
  'Network Analysis Service': left,
  Notebook: left,
  'Project Package': left,
  'Relational Database Connection': left,
  'Scene Layer Package': left,
  'Scene Service': left,
  'Service Definition': left,
  'Stream Service': left,
  'Tile Package': left,
  'Vector Tile Package': left,
  'Vector Tile Service': left,
  WFS: left,
  WMS: left,
  WMTS: left,
  'Workforce Project': left,
};

/** First release whose export takes apps made with Instant Apps: docs/portal-interface.md, "Item types". */
export const instantAppsSince = '10.9.1';

/** Facts of a wire type; `undefined` for one that the table does not know. */
export const itemTypeFacts = (type: string): ItemTypeFacts | undefined =>
  Object.hasOwn(itemTypes, type) ? itemTypes[type] : undefined;

/** Whether the data of an item of this type is a JSON document that can hold references. */
export const holdsReferences = (type: string): boolean => itemTypeFacts(type)?.json === true;
