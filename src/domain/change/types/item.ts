import { labeled, listOf, type Shape, type TypeTable, whole, within } from '../shape';
import { own } from '../values';
import { volatileDetails } from '../volatile';
import { fileShape, hash } from './file';

const set = (label: string): Shape => ({ label, isSet: true });

/** The record of an item of any type, with the labels of an item page. */
const details = within({
  ...Object.fromEntries(Object.entries(volatileDetails).map(([name, skip]) => [name, { skip }])),
  title: labeled('title'),
  snippet: labeled('summary'),
  description: labeled('description'),
  licenseInfo: labeled('terms of use'),
  accessInformation: labeled('credits'),
  tags: set('tags'),
  categories: set('categories'),
  typeKeywords: set('type keywords'),
  type: labeled('type'),
  name: labeled('file name'),
  url: labeled('address'),
  extent: whole('extent'),
  spatialReference: whole('spatial reference'),
  culture: labeled('language'),
  properties: labeled('properties'),
});

const time = (label: string): Shape => ({
  label,
  show: (at) => (typeof at === 'number' && Math.abs(at) < 8e15 ? new Date(at).toISOString() : undefined),
});

const field = within({
  alias: labeled('alias'),
  type: labeled('type'),
  length: labeled('length'),
  nullable: labeled('may be empty'),
  editable: labeled('may be edited'),
  domain: whole('list of values'),
  defaultValue: labeled('default value'),
});

/** A layer or table of a hosted service. */
const serviceLayer = within({
  name: labeled('renamed'),
  count: labeled('rows'),
  lastEditDate: time('last edit of rows'),
  schema: within({
    geometryType: labeled('geometry'),
    fields: listOf({
      noun: 'field',
      by: ['name'],
      title: ['name'],
      says: ['type'],
      shape: () => field,
    }),
  }),
});

/** All that is compared of an item: `itemContent` with the names of its type. */
export const contentShape = ({ data, hasDrafts }: Partial<TypeTable>): Shape =>
  within({
    item: details,
    data: { ...data, label: data?.label ?? '' },
    file: fileShape,
    resources: listOf({
      noun: (resource) => (hasDrafts && own(resource, 'json') !== undefined ? 'draft' : 'resource'),
      by: ['name'],
      title: ['name'],
      says: ['size'],
      shape: () =>
        within({
          size: labeled('size'),
          sha256: hash('content'),
          json: hasDrafts ? { ...data, label: data?.label ?? '' } : { label: '' },
        }),
    }),
    thumbnail: hash('thumbnail'),
    layers: listOf({
      noun: 'layer',
      by: ['layerId'],
      title: ['name'],
      says: ['name'],
      shape: () => serviceLayer,
    }),
  });
