import { listOf, type TypeTable, within } from '../shape';
import { layers } from './web-map';

/** What maps take from a service when it is added to them; the service itself is compared as `layers`. */
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
