import { labeled, listOf, type Shape, type TypeTable, whole, within } from '../shape';
import { own } from '../values';
import { volatileDetails } from '../volatile';
import { fileShape, hash } from './file';
import { serviceLayer } from './layer';

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
