import { writeFile } from 'node:fs/promises';

/** Ids of items by their number; those from 5,000 on are of the target only. */
export const itemId = (number: number): string => `ab${number.toString(16).padStart(30, '0')}`;

export const thousandGroupId = 'ab0000000000000000000000000000ff';

interface Look {
  /** Written into everything, so that two looks at one item differ in every part of it. */
  readonly look: string;
  readonly numbers: readonly number[];
}

/** Every sixteenth item is a hosted service, the others go by turns. */
function seedItem(number: number, look: string) {
  const common = {
    id: itemId(number),
    title: `Item ${number}, ${look}`,
    tags: [look, `t${number % 7}`],
    snippet: `${look}: "${number}" at {portal}/home`,
  };
  const references = {
    itemId: itemId(number - (number % 16)),
    url: `{server}/rest/services/Hosted/Service${number - (number % 16)}/FeatureServer/0`,
    escaped: `{portal}/home/item.html?id=${itemId(number)}`,
    elsewhere: 'https://example.com/arcgis/rest/services/Roads/MapServer',
    look,
  };
  switch (number % 16) {
    case 0:
      return {
        ...common,
        type: 'Feature Service',
        service: {
          name: `Service${number}`,
          layers: [
            { name: `Places ${look}`, count: 20 + (number % 50), geometryType: 'esriGeometryPoint' },
            { name: `Ways ${look}`, count: look.length, geometryType: 'esriGeometryPolyline' },
          ],
          tables: [{ name: `Notes ${look}`, count: number % 30 }],
        },
      };
    case 1:
    case 2:
    case 3:
      return { ...common, type: 'Web Map', json: { operationalLayers: [references], version: '2.31' } };
    case 4:
      return {
        ...common,
        type: 'Web Mapping Application',
        url: `{portal}/apps/webappviewer/index.html?id=${itemId(number)}`,
        json: { map: references },
      };
    case 5:
      return {
        ...common,
        type: 'Web Experience',
        json: { dataSources: { one: references } },
        resources: { 'config/config.json': { dataSources: { one: references } } },
      };
    case 6:
    case 7:
      return {
        ...common,
        type: 'Image',
        name: `image-${number}.tif`,
        bytes: 200 + 97 * (number + look.length),
      };
    default: {
      // Not of a type in which addresses are rewritten, although there are some.
      const lines = Array.from({ length: number % 90 }, (_, line) => `${line},${look} ${number},{portal}\r`);
      return {
        ...common,
        type: 'CSV',
        name: `table-${number}.csv`,
        text: ['a,b,c\r', ...lines, 'ü'].join('\n'),
      };
    }
  }
}

/** A seed file of a group with items of so many numbers. */
export async function writeSeed(file: string, groups: readonly Look[]): Promise<void> {
  const items = groups.flatMap(({ look, numbers }) => numbers.map((number) => seedItem(number, look)));
  await writeFile(file, JSON.stringify({ group: { id: thousandGroupId, title: 'Thousand' }, items }));
}

/** Types in whose data and resources an import rewrites addresses. */
export const isRewritten = (type: string): boolean => type.startsWith('Web ');
