import { labeled, listOf, type Shape, type TypeTable, whole, within } from '../shape';
import { volatileData } from '../volatile';

const things = (noun: string, shape?: Shape): Shape =>
  listOf({
    noun,
    title: ['label', 'sourceLabel', 'id'],
    says: ['label', 'uri'],
    shape: shape && (() => shape),
  });

const page = within({
  label: labeled('renamed'),
  icon: whole('icon'),
  isVisible: labeled('visibility'),
  isDefault: labeled('start page'),
  layout: whole('layout'),
  header: labeled('header'),
  footer: labeled('footer'),
});

const widget = within({
  label: labeled('renamed'),
  uri: labeled('kind'),
  config: labeled('settings'),
  style: whole('style'),
  layouts: whole('layout'),
  useDataSources: whole('data'),
  useMapWidgetIds: whole('map'),
  version: { skip: volatileData.exbVersion },
});

const dataSource = within({
  label: labeled('renamed'),
  sourceLabel: labeled('renamed'),
  itemId: labeled('item'),
  url: labeled('address'),
  portalUrl: labeled('portal'),
  type: labeled('kind'),
});

/** Both what is published (data) and the draft (`config/config.json`). */
export const experience: TypeTable = {
  types: ['Web Experience', 'Web Experience Template'],
  hasDrafts: true,
  data: within({
    attributes: within({ title: labeled('title in the experience') }),
    pages: things('page', page),
    pageStructure: whole('order of pages'),
    rootPage: labeled('start page'),
    dialogs: things('window'),
    views: things('view'),
    sections: things('section'),
    screenGroups: things('screen group'),
    screens: things('screen'),
    widgets: things('widget', widget),
    layouts: things('layout'),
    dataSources: things('data source', dataSource),
    messageConfigs: things('trigger'),
    utilities: things('utility'),
    theme: labeled('theme'),
    customTheme: whole('colors and fonts'),
    header: whole('header'),
    footer: whole('footer'),
    mainSizeMode: labeled('screen size'),
    exbVersion: { skip: volatileData.exbVersion },
    originExbVersion: { skip: volatileData.originExbVersion },
    timestamp: { skip: volatileData.timestamp },
  }),
};
