import type { Item } from '../../../portal/resources/items/item';
import { countHostedLayers, type LayerCount } from '../hosted-layers';
import type { Sheet } from './verification';
import type { VerifyContext } from './verify-context';

/**
 * A hosted service holds as many rows in each layer and table as the source counted at export. No answer
 * on either side is "not checked" and never passed.
 */
export async function verifyLayers(
  context: VerifyContext,
  expected: readonly LayerCount[] | undefined,
  item: Item,
  sheet: Sheet,
): Promise<void> {
  const { origin: source, target, askTarget, options } = context;
  if (expected === undefined) {
    sheet.notChecked(`${source.name} did not count its rows at export`, { path: 'item.url' });
    return;
  }
  const counted = await countHostedLayers(target, item, options, askTarget);
  if (counted === undefined) {
    sheet.notChecked(`the service does not answer on ${target.name}`, { path: 'item.url', value: item.url });
    return;
  }
  for (const layer of expected) {
    const path = `layers[${layer.layerId}]`;
    const here = counted.find(({ layerId }) => layerId === layer.layerId);
    if (here === undefined) {
      sheet.find('count-differs', {
        path,
        value: 'missing',
        hint: `"${layer.name}" is not in the service on ${target.name}.`,
      });
    } else if (layer.count === undefined) {
      sheet.notChecked(`"${layer.name}" was not counted on ${source.name}: ${layer.reason ?? 'no answer'}`, {
        path,
      });
    } else if (here.count === undefined) {
      sheet.notChecked(`"${layer.name}" gave no count on ${target.name}: ${here.reason ?? 'no answer'}`, {
        path,
      });
    } else if (here.count === layer.count) {
      sheet.counted(here.count);
    } else {
      const hint = `"${layer.name}" has ${layer.count} rows on ${source.name}: import its data again with --overwrite --data replace.`;
      sheet.find('count-differs', { path, value: String(here.count), hint });
    }
  }
}
