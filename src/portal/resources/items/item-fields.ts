import type { Item } from './item';
import { toList, toNumber, toText } from '../../http/reading';
import type { Params } from '../../http/request';

/**
 * Members of an item's record that can be written, as text in the form that addItem and update take.
 * docs/reference/portal-interface.md, "Update item"
 */
const writers: Readonly<Record<string, (value: unknown) => string>> = {
  type: plain,
  title: plain,
  typeKeywords: joined,
  description: plain,
  snippet: plain,
  tags: joined,
  categories: joined,
  culture: plain,
  url: plain,
  accessInformation: plain,
  licenseInfo: plain,
  spatialReference: plain,
  extent: corners,
  properties: asJson,
};

/** No item is without. */
const needed: ReadonlySet<string> = new Set(['type', 'title', 'culture']);

/** The fields of a record, for an item to create. */
export function copiedFields(record: Item): Params {
  const { licenseInfo, ...fields } = written(record);
  // The one name that differs between adding and updating.
  return { ...fields, licenseinfo: licenseInfo };
}

/** Fields in which an item differs from a record, with the record's values; what the record has not is cleared. */
export function differingFields(record: Item, present: Item): Params {
  const [desired, now] = [written(record), written(present)];
  const differing = Object.keys(writers).filter(
    (name) => desired[name] !== now[name] && (desired[name] !== '' || !needed.has(name)),
  );
  return Object.fromEntries(differing.map((name) => [name, { verbatim: desired[name] ?? '' }]));
}

const written = (item: Item): Record<string, string> =>
  Object.fromEntries(Object.entries(writers).map(([name, write]) => [name, write(item[name])]));

function plain(value: unknown): string {
  return toText(value) ?? '';
}

function joined(value: unknown): string {
  return toList(value)
    .flatMap((each) => toText(each) ?? [])
    .join(',');
}

/** `[[west, south], [east, north]]` as `west,south,east,north`. */
function corners(value: unknown): string {
  const numbers = toList(value).flatMap((corner) => toList(corner).flatMap((each) => toNumber(each) ?? []));
  return numbers.length === 4 ? numbers.join(',') : '';
}

function asJson(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
