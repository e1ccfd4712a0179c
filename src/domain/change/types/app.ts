import { labeled, listOf, type Shape, type TypeTable, whole, within } from '../shape';
import { volatileData } from '../volatile';

const widget = within({
  label: labeled('renamed'),
  name: labeled('kind'),
  position: whole('position'),
  visible: labeled('visibility'),
  uri: labeled('kind'),
  config: labeled('settings'),
  version: { skip: volatileData.wabVersion },
});

const widgets: Shape = listOf({
  noun: 'widget',
  by: ['id', 'uri'],
  title: ['label', 'name', 'id'],
  says: ['uri', 'name'],
  shape: () => widget,
});

const pool = within({
  widgets,
  groups: listOf({
    noun: 'widget group',
    by: ['id', 'label'],
    title: ['label', 'id'],
    says: ['label'],
    shape: () => within({ label: labeled('renamed'), widgets }),
  }),
});

/** Configurable and instant apps keep settings in `values`; apps of the builder have widgets, a map and data sources. */
export const app: TypeTable = {
  types: ['Web Mapping Application'],
  data: within({
    title: labeled('title in the app'),
    subtitle: labeled('subtitle'),
    source: labeled('template'),
    values: { label: 'setting' },
    map: { label: 'map', members: { itemId: labeled('item'), mapOptions: whole('initial view') } },
    theme: whole('theme'),
    logo: labeled('logo'),
    links: whole('links'),
    portalUrl: labeled('portal'),
    widgetOnScreen: pool,
    widgetPool: pool,
    dataSource: within({
      dataSources: listOf({ noun: 'data source', title: ['label'], says: ['url', 'itemId'] }),
    }),
    wabVersion: { skip: volatileData.wabVersion },
    timestamp: { skip: volatileData.timestamp },
  }),
};
