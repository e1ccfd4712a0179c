import { labeled, listOf, type Shape, type TypeTable, whole, within } from '../shape';
import { layers } from './map-layer';

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
export const serviceLayer = within({
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

/** The data is what maps take from a service when it is added to them. */
export const layer: TypeTable = {
  types: [
    'Feature Service',
    'Map Service',
    'Image Service',
    'Scene Service',
    'Vector Tile Service',
    'Feature Collection',
  ],
  data: within({ layers: listOf(layers('layer')), tables: listOf(layers('table')) }),
};
