import { compareContent } from '../src/domain/change/compare-content';
import { ReferenceMapper } from '../src/domain/transfer/references/map';

/** How long a large map takes to be compared. */
export interface Comparing {
  /** Size of its JSON. @format bytes */
  readonly bytes: number;
  /** One sample per round. @format milliseconds */
  readonly ms: readonly number[];
}

const [source, target] = ['https://stage.example.com', 'https://gis.example.com'];

/** A map whose layers have pop-ups and drawn features. */
const bigMap = (host: string, word: string) => ({
  operationalLayers: Array.from({ length: 800 }, (_, id) => ({
    id: `layer-${id}`,
    title: `Layer ${id}`,
    url: `${host}/server/rest/services/Layer${id}/FeatureServer/0`,
    popupInfo: {
      fieldInfos: Array.from({ length: 30 }, (_, field) => ({
        fieldName: `F${field}`,
        label: `${word} ${field}`,
        format: { places: 2 },
      })),
    },
    featureCollection: {
      layers: [
        {
          featureSet: {
            features: Array.from({ length: 100 }, (_, at) => ({
              attributes: { OBJECTID: at, NAME: `Feature ${at}` },
              geometry: { x: at / 3, y: at / 7 },
            })),
          },
        },
      ],
    },
  })),
});

/** Compares two maps of 10 MB from two portals that differ in 24,000 places, addresses mapped. */
export function compareBigMaps(rounds: number): Comparing {
  const mapper = new ReferenceMapper({
    urls: { [source]: target },
    items: { ['a'.repeat(32)]: 'b'.repeat(32) },
  });
  const [before, after] = [bigMap(target, 'Field'), bigMap(source, 'Column')];
  const ms = Array.from({ length: rounds }, () => {
    const start = performance.now();
    const content = (data: unknown) => ({ details: {}, data });
    compareContent('Web Map', content(before), content(after), { mapped: (text) => mapper.mapped(text) });
    return performance.now() - start;
  });
  return { bytes: JSON.stringify(before).length, ms };
}
