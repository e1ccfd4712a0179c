import { createHash } from 'node:crypto';
import type { Change, FieldChange } from '../../model/transfer/change';
import { JSON_DEPTH_MAX } from '../../portal/http/limits';
import { canonical } from '../snapshot/hashing';
import { DOCUMENT_BYTES_MAX } from '../transfer/references/content';
import { type Edit, findDifferences, stepsTo } from './differences';
import type { ItemContent } from './item-content';
import type { Shape, TypeTable } from './shape';
import { fieldOf, lineOf } from './show';
import { app } from './types/app';
import { dashboard } from './types/dashboard';
import { experience } from './types/experience';
import { file } from './types/file';
import { contentShape } from './types/item';
import { layer } from './types/layer';
import { story } from './types/story';
import { webMap } from './types/web-map';
import { webScene } from './types/web-scene';
import { excessOf, isEmpty, mapTree } from './values';
import { volatileResources } from './volatile';

export interface CompareOptions {
  /**
   * Rewrites the addresses and ids of `after`'s portal into those of `before`'s, as an import does.
   * @default nothing is rewritten
   */
  readonly mapped?: (text: string) => string;
  /** Both states are of one portal: dates of last edits count. @default false */
  readonly isOnePortal?: boolean;
  /** The item keeps the thumbnail that it has, as it does after an import. @default false */
  readonly keepsThumbnail?: boolean;
}

/** So many fields are shown of an item. */
export const FIELDS_MAX = 100;

/** What is compared of an item stays within these, which are those of what is read. */
const limits = {
  // The documents stand in the content, and those of resources in a list.
  depth: JSON_DEPTH_MAX + 4,
  values: 4_000_000,
  characters: 2 * DOCUMENT_BYTES_MAX,
};

const tables: readonly TypeTable[] = [webMap, webScene, app, dashboard, experience, story, layer, file];
const shapes = new Map(
  tables.flatMap((table) => table.types.map((type) => [type, contentShape(table)] as const)),
);
const otherShape = contentShape({});

/**
 * How an item's content would change, or has changed, from `before` to `after`.
 *
 * @param type the item's wire type
 */
export function compareContent(
  type: string,
  before: ItemContent,
  after: ItemContent,
  options: CompareOptions = {},
): Change {
  const hash = createHash('sha256');
  const fields: FieldChange[] = [];
  let count = 0;
  const why = differencesOf(type, before, after, options, (edit) => {
    const { place, kind, index, before: then, after: now } = edit;
    // In an array, a removed value would look like null.
    hash.update(canonical({ steps: stepsTo(place), kind, index, then, now }));
    if (mayBeThere(edit, before, then) || mayBeThere(edit, after, now)) return;
    count += 1;
    if (fields.length < FIELDS_MAX) fields.push(fieldOf(edit));
  });
  if (why !== undefined) hash.update(why);
  return {
    kind: why !== undefined ? 'unknown' : count > 0 ? 'changed' : 'same',
    fields,
    more: count - fields.length || undefined,
    why,
    sha256: hash.digest('hex'),
  };
}

/** If only part of an item was read, something that seems to be missing may still exist. */
function mayBeThere({ place }: Edit, content: ItemContent, value: unknown): boolean {
  if (content.unread === undefined) return false;
  const [, part] = stepsTo(place);
  return part === 'item' ? value === undefined : content[part as keyof ItemContent] === undefined;
}

/**
 * Finds each difference of what is compared.
 *
 * @returns why not everything could be compared; undefined where it was
 */
function differencesOf(
  type: string,
  before: ItemContent,
  after: ItemContent,
  options: CompareOptions,
  onEdit: (edit: Edit) => void,
): string | undefined {
  const { mapped } = options;
  for (const content of [before, after]) {
    const excess = excessOf(content, limits);
    if (excess !== undefined) return excess;
  }
  const there = mapped ? (mapTree(after, mapped) as ItemContent) : after;
  const [one, other] = [comparedOf(before, there, options), comparedOf(there, before, options)];
  findDifferences(shapeOf(type), one, other, { step: '', label: '' }, onEdit);
  const reasons = new Set([before.unread, after.unread].filter((reason) => reason !== undefined));
  return reasons.size > 0 ? lineOf([...reasons].join('; ')) : undefined;
}

const shapeOf = (type: string): Shape => shapes.get(type) ?? otherShape;

/** The parts of a content that count, beside those of another one. */
function comparedOf(content: ItemContent, beside: ItemContent, options: CompareOptions) {
  const { details, data, file: bytes, resources, thumbnail, layers } = content;
  return {
    item: Object.fromEntries(Object.entries(details).filter(([, value]) => !isUnset(value))),
    data,
    file: bytes && bothTell(bytes, beside.file),
    resources: resources && comparedResources(resources, beside.resources),
    thumbnail: options.keepsThumbnail ? undefined : thumbnail,
    layers: options.isOnePortal ? layers : layers?.map(({ lastEditDate: _, ...layer }) => layer),
  };
}

const isVolatile = (name: string): boolean => volatileResources.some((each) => each.name.test(name));

type Resources = NonNullable<ItemContent['resources']>;

/** JSON is compared by what is in it: with the addresses of another portal it has another size. */
function comparedResources(resources: Resources, beside?: Resources): object[] {
  const others = new Map(beside?.map((each) => [each.name, each]));
  return resources
    .filter(({ name }) => !isVolatile(name))
    .map(({ json, ...each }) =>
      json === undefined ? bothTell(each, others.get(each.name)) : { name: each.name, json },
    );
}

/** Without a hash that only one of the two tells. */
const bothTell = <T extends { readonly sha256?: string }>(value: T, other: T | undefined): T =>
  other && other.sha256 === undefined ? { ...value, sha256: undefined } : value;

/** Portals and their versions differ in how they say that a member of a record is not set. */
const isUnset = (value: unknown): boolean => !value || isEmpty(value);
