import { labeled, listOf, type Shape, type TypeTable, whole, within } from '../shape';
import { volatileData } from '../volatile';
import { layers } from './map-layer';

/** What maps and scenes have in common. https://developers.arcgis.com/web-map-specification/ */
export const mapMembers: Readonly<Record<string, Shape>> = {
  operationalLayers: listOf(layers('layer')),
  tables: listOf(layers('table')),
  baseMap: within({ title: labeled('basemap'), baseMapLayers: listOf(layers('basemap layer')) }),
  bookmarks: listOf({
    noun: 'bookmark',
    by: ['name'],
    title: ['name'],
    says: ['name'],
    shape: () =>
      within({
        extent: whole('place'),
        viewpoint: whole('place'),
        thumbnail: { skip: volatileData.thumbnail },
      }),
  }),
  initialState: whole('initial view'),
  spatialReference: whole('spatial reference'),
  applicationProperties: whole('viewer settings'),
  widgets: whole('widgets'),
  version: labeled('version of the map format'),
  authoringApp: { skip: volatileData.authoringApp },
  authoringAppVersion: { skip: volatileData.authoringAppVersion },
};

export const webMap: TypeTable = { types: ['Web Map', 'Map Template'], data: within(mapMembers) };
