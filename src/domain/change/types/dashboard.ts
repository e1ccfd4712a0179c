import { labeled, listOf, onOff, type Shape, type TypeTable, whole, within } from '../shape';
import { volatileData } from '../volatile';

const element = within({
  name: labeled('renamed'),
  caption: labeled('caption'),
  description: labeled('description'),
  type: labeled('kind'),
  itemId: labeled('map'),
  datasets: { label: 'data' },
  events: whole('actions'),
  selectors: whole('selectors'),
  showLastUpdate: onOff('time of the last update'),
  noDataText: labeled('text without data'),
});

const widgets: Shape = listOf({
  noun: 'element',
  by: ['id'],
  title: ['name', 'caption', 'type', 'id'],
  says: ['type'],
  shape: () => element,
});

const view = (label: string): Shape => ({
  label,
  members: {
    widgets,
    layout: whole('layout'),
    headerPanel: labeled('header'),
    leftPanel: labeled('sidebar'),
    sidebar: labeled('sidebar'),
    urlParameters: whole('URL parameters'),
  },
});

/** Older dashboards keep elements at the top, later ones in views for desktops and phones. */
export const dashboard: TypeTable = {
  types: ['Dashboard'],
  data: within({
    ...view('').members,
    desktopView: view(''),
    mobileView: view('on phones'),
    theme: labeled('theme'),
    themeOverrides: whole('colors'),
    settings: labeled('settings'),
    arcadeDataSourceItems: listOf({ noun: 'data expression', by: ['id', 'name'], title: ['name', 'id'] }),
    version: labeled('version of the dashboard format'),
    authoringApp: { skip: volatileData.authoringApp },
    authoringAppVersion: { skip: volatileData.authoringAppVersion },
  }),
};
