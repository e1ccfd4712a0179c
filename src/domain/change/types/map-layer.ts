import { type Elements, labeled, listOf, onOff, percent, type Shape, whole, within } from '../shape';

const popup: Shape = {
  label: 'pop-up',
  members: {
    title: labeled('title'),
    description: labeled('text'),
    fieldInfos: listOf({
      noun: 'field',
      by: ['fieldName'],
      title: ['label', 'fieldName'],
      says: ['fieldName'],
      shape: () =>
        within({ visible: onOff('visibility'), label: labeled('renamed'), format: whole('format') }),
    }),
    expressionInfos: listOf({
      noun: 'expression',
      by: ['name'],
      title: ['title', 'name'],
      says: ['expression'],
      shape: () => within({ title: labeled('renamed'), expression: labeled('code') }),
    }),
    popupElements: whole('content'),
    mediaInfos: whole('charts and pictures'),
  },
};

/** How features are drawn and which of them, in layers of maps and of services. */
const layerDefinition = within({
  definitionExpression: labeled('filter'),
  drawingInfo: within({
    renderer: whole('symbols'),
    labelingInfo: whole('labels'),
    transparency: labeled('transparency'),
    showLabels: onOff('labels'),
  }),
  featureReduction: whole('clustering'),
  orderBy: whole('drawing order'),
  minScale: labeled('visible from scale'),
  maxScale: labeled('visible to scale'),
});

/** A layer or table, in whatever list. */
const layer: Shape = within({
  title: labeled('renamed'),
  visibility: onOff('visibility'),
  defaultVisibility: onOff('visibility'),
  opacity: percent('opacity'),
  url: labeled('address'),
  styleUrl: labeled('address of its style'),
  itemId: labeled('item'),
  layerType: labeled('type'),
  layerDefinition,
  popupInfo: popup,
  disablePopup: onOff('pop-up', false),
  showLabels: onOff('labels'),
  showLegend: onOff('legend'),
  visibleLayers: { label: 'visible sublayers', isSet: true },
  minScale: labeled('visible from scale'),
  maxScale: labeled('visible to scale'),
  refreshInterval: labeled('refresh interval'),
  blendMode: labeled('blending'),
  effect: whole('effects'),
  isReference: labeled('above other layers'),
  featureCollection: whole('features'),
  get layers() {
    return listOf(layers('layer'));
  },
});

export const layers = (noun: string): Elements => ({
  noun,
  by: ['id', 'url'],
  title: ['title', 'name', 'id'],
  says: ['url', 'layerType'],
  shape: () => layer,
});
