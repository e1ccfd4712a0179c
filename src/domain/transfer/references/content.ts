import { shortened } from '../../../model/text/plain-text';
import { isAddress, ADDRESS_MAX, serviceAddress } from './addresses';
import type { Portal } from '../../../portal/client';
import { readItemResourceText, readItemResources } from '../../../portal/resources/items/item-files';
import { readItemText } from '../../../portal/resources/items/items';
import type { CallOptions } from '../../../portal/http/request';
import { figuresOf } from '../../../portal/http/response-limits';
import { JSON_DEPTH_MAX } from '../../../portal/http/limits';
import type { Retry } from '../retry';
import { holdsReferences, id32 } from '../classify-item';

/** One reference in an item: what it names and where it stands. */
export interface Reference {
  /** `item.url`, `data.operationalLayers[3].url`, `resources["config/config.json"].dataSources.a.url`. */
  readonly path: string;
  readonly kind: 'item' | 'url' | 'group';
  readonly value: string;
  /**
   * It stands at a place that clients are known to follow, or names a service. What merely looks like a
   * reference (32 hexadecimal digits, an address of a picture) is not certain: nobody is told of it
   * unless one of the portals knows it.
   */
  readonly certain: boolean;
}

/** An item as far as references are followed: record, data and resources, each parsed where it is JSON. */
export interface ItemDocuments {
  readonly item: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  readonly resources?: readonly { readonly name: string; readonly json: unknown }[];
}

/** Keys whose value is an item's id, in maps, scenes, apps, stories, experiences and dashboards. */
const itemKeys: ReadonlySet<string> = new Set([
  'itemid',
  'portalitemid',
  'themeitemid',
  'surveyitemid',
  'serviceitemid',
  'sourceitemid',
  'mapitemid',
  'webmap',
  'webscene',
  'webmapid',
  'websceneid',
]);

/** Keys that hold 32 digits of their own making, or a folder: never an item. */
const ownIdKeys: ReadonlySet<string> = new Set([
  'id',
  'uid',
  'guid',
  'globalid',
  'folderid',
  'portalid',
  'orgid',
]);

/** Keys whose text people read and no client follows. */
const proseKeys: ReadonlySet<string> = new Set([
  'title',
  'name',
  'label',
  'text',
  'alt',
  'caption',
  'summary',
  'snippet',
  'description',
  'attribution',
  'copyright',
  'copyrighttext',
  'licenseinfo',
  'accessinformation',
]);

const codeKeys: ReadonlySet<string> = new Set(['script', 'expression', 'expressions', 'arcade', 'code']);

/** Addresses that stand directly in a layer, a table or a data source, whatever kind of service they name. */
const layerAddress =
  /\.(?:operationalLayers|baseMapLayers|referenceLayers|layers|tables|dataSources)(?:\[\d+\]|\.[^.[\]]+|\["[^"]*"\])\.(?:url|styleUrl)$/;

const embeddedSource = /\bsrc\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]+)/gi;
const embeddedAddress = /https?:\/\/[^\s"'`<>)]+/gi;
const embeddedId = /\b[0-9a-f]{32}\b/gi;

/**
 * Every reference of an item, in the order of the document: the places that are known for its kind
 * (docs/reference/portal-interface.md, "References") and a general scan of the rest.
 */
export function* referencesOf(content: ItemDocuments): Generator<Reference> {
  if (typeof content.item['url'] === 'string') yield* inText('item.url', 'url', content.item['url']);
  yield* inTree('item.properties', content.item['properties']);
  yield* inTree('data', content.data);
  for (const resource of content.resources ?? []) {
    yield* inTree(`resources[${JSON.stringify(resource.name)}]`, resource.json);
  }
}

interface Node {
  readonly path: string;
  readonly key: string;
  readonly value: unknown;
}

/** A name in a document is part of a path up to so much: each path below it holds it once more. @format characters */
const KEY_MAX = 200;

export function childPath(path: string, name: string): string {
  const key = shortened(name, KEY_MAX);
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

/** Coordinates are numbers, by the million. */
const mayHoldReference = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

/** Walks with a stack of its own: documents are others' and may be nested deeper than calls may. */
function* inTree(root: string, document: unknown): Generator<Reference> {
  const stack: Node[] = [{ path: root, key: '', value: document }];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { path, key, value } = node;
    if (typeof value === 'string') {
      yield* inText(path, key, value);
    } else if (Array.isArray(value)) {
      // Elements carry the key of their list: `webmap` may be one id or several.
      for (let i = value.length - 1; i >= 0; i--) {
        if (mayHoldReference(value[i])) stack.push({ path: `${path}[${i}]`, key, value: value[i] });
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value).reverse()) {
        if (mayHoldReference(child)) stack.push({ path: childPath(path, name), key: name, value: child });
      }
    }
  }
}

function* inText(path: string, rawKey: string, text: string): Generator<Reference> {
  const key = rawKey.toLowerCase();
  if (isAddress(text)) {
    if (proseKeys.has(key)) return;
    const value = text.trim().slice(0, ADDRESS_MAX);
    yield {
      path,
      kind: 'url',
      value,
      certain: serviceAddress(value) !== undefined || layerAddress.test(path),
    };
  } else if (codeKeys.has(key)) {
    yield* inCode(path, text);
  } else if (text.includes('<')) {
    for (const match of text.matchAll(embeddedSource)) {
      yield { path, kind: 'url', value: match[1] ?? '', certain: false };
    }
  } else if (!ownIdKeys.has(key)) {
    yield* ids(path, key, text);
  }
}

/** One id, or several with commas between them. */
function* ids(path: string, key: string, text: string): Generator<Reference> {
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every((part) => id32.test(part))) return;
  for (const part of parts) {
    const kind = key === 'group' || key === 'groupid' ? 'group' : 'item';
    yield { path, kind, value: part.toLowerCase(), certain: kind === 'group' || itemKeys.has(key) };
  }
}

/** Code of a document: addresses first, then ids outside of them, as `FeatureSetByPortalItem` names both. */
function* inCode(path: string, text: string): Generator<Reference> {
  for (const [value] of text.matchAll(embeddedAddress)) {
    yield { path, kind: 'url', value, certain: serviceAddress(value) !== undefined };
  }
  for (const [value] of text.replace(embeddedAddress, ' ').matchAll(embeddedId)) {
    yield { path, kind: 'item', value: value.toLowerCase(), certain: false };
  }
}

/** A document longer than this is not read for references. @format bytes */
export const DOCUMENT_BYTES_MAX = 32 * 1024 ** 2;

/** Which resources of an item hold references: docs/reference/portal-interface.md, "References". */
const referenceResources: Readonly<Record<string, RegExp>> = {
  StoryMap: /^(?!.*express)(.*\/)?draft[^/]*\.json$/i,
  'StoryMap Theme': /\.json$/i,
  'Web Experience': /^config\/config\.json$/i,
  'Web Experience Template': /^config\/config\.json$/i,
};

/** A text as JSON: nothing where it is empty, or why it is not read. */
export function readJson(text: string | undefined): { readonly json?: unknown; readonly why?: string } {
  if (text === undefined || text.trim() === '') return {};
  const why = tooDeep(text);
  if (why !== undefined) return { why };
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return { why: 'it is not JSON' };
  }
}

/** Why JSON is not parsed; undefined if it is not nested too deep. */
export function tooDeep(text: string): string | undefined {
  const { depth } = figuresOf(text);
  return depth > JSON_DEPTH_MAX ? `it is nested ${depth} levels deep (limit ${JSON_DEPTH_MAX})` : undefined;
}

/** An item's documents, and what of them could not be read as JSON. */
interface ReadDocuments {
  readonly content: ItemDocuments;
  /** The data is empty. */
  readonly empty: boolean;
  /** Place and reason of what is not JSON, as in `data`: `it is not JSON`. */
  readonly unread: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Reads the documents of an item whose type holds references: data, and the resources that its type
 * keeps drafts and configuration in. For other types nothing is read and the record stands alone.
 *
 * @throws PortolanError as the portal's reads do
 */
export async function readDocuments(
  portal: Portal,
  item: { readonly id: string; readonly type?: string | null } & Readonly<Record<string, unknown>>,
  options: CallOptions | undefined,
  retry: Retry,
): Promise<ReadDocuments> {
  const type = item.type ?? '';
  const unread: { path: string; reason: string }[] = [];
  if (!holdsReferences(type)) return { content: { item }, empty: false, unread };

  const json = (path: string, text: string | undefined): unknown => {
    const { json: parsed, why } = readJson(text);
    if (why !== undefined) unread.push({ path, reason: why });
    return parsed;
  };

  const limits = { maxBytes: DOCUMENT_BYTES_MAX };
  const text = await retry(() => readItemText(portal, item.id, limits, options));
  const data = json('data', text);
  const resources: { name: string; json: unknown }[] = [];
  const desired = referenceResources[type];
  if (desired !== undefined) {
    const listed = await retry(() => readItemResources(portal, item.id, options));
    for (const { resource } of listed.filter((each) => desired.test(each.resource))) {
      const body = await retry(() => readItemResourceText(portal, item.id, resource, limits, options));
      resources.push({ name: resource, json: json(`resources[${JSON.stringify(resource)}]`, body) });
    }
  }
  return { content: { item, data, resources }, empty: text === undefined || text.trim() === '', unread };
}
