import { labeled, listOf, type TypeTable, whole, within } from '../shape';
import { volatileData } from '../volatile';
import { layers } from './map-layer';
import { mapMembers } from './web-map';

/** https://developers.arcgis.com/web-scene-specification/ */
const slide = within({
  title: within({ text: labeled('renamed') }),
  description: within({ text: labeled('description') }),
  viewpoint: whole('camera'),
  visibleLayers: { label: 'visible layers', isWhole: true },
  environment: whole('light and weather'),
  baseMap: whole('basemap'),
  ground: whole('ground'),
  thumbnail: { skip: volatileData.thumbnail },
});

export const webScene: TypeTable = {
  types: ['Web Scene'],
  data: within({
    ...mapMembers,
    ground: { label: 'ground', members: { layers: listOf(layers('elevation layer')) } },
    presentation: within({
      slides: listOf({
        noun: 'slide',
        by: ['id'],
        title: ['title.text', 'id'],
        says: ['title.text'],
        shape: () => slide,
      }),
    }),
    viewingMode: labeled('viewing mode'),
    clippingArea: whole('clipping area'),
    heightModelInfo: whole('height model'),
    mapFloorInfo: whole('floors'),
  }),
};
