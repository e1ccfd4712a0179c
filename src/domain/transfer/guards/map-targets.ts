import { mapLimited } from '../../../model/map-limited';
import type { ReferenceMap } from '../../../model/release/reference-map';
import type { GuardResult } from '../../../model/run/guard';
import type { Portal } from '../../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import type { CallOptions } from '../../../portal/http/request';
import { findItem } from '../../../portal/resources/items/items';
import { counted, pass, unknown } from './verdict';

/**
 * Whether the items are on a stage's portal to which its map leads. One that is not may be one that a release is going
 * to bring, so that it is named and keeps nothing from going on.
 */
export async function mappedItemsThere(
  portal: Portal,
  portalName: string,
  { items }: ReferenceMap,
  options?: CallOptions,
): Promise<GuardResult[]> {
  const name = `map on ${portalName}`;
  const rows = Object.entries(items);
  if (rows.length === 0) return [];
  const found = await mapLimited(rows, REQUESTS_AT_A_TIME, async ([from, to]) => ({
    ...{ from, to },
    isThere: (await findItem(portal, to, options)) !== undefined,
  }));
  const missing = found.filter(({ isThere }) => !isThere);
  if (missing.length === 0) return [pass(name, `${counted(rows.length, 'item')} to map to`)];
  return missing.map(({ from, to }) =>
    unknown(name, {
      saw: `map.items.${from} maps to ${to}, which is not on ${portalName}`,
      needs: `an item of ${portalName}, or one that a release creates there`,
      todo: `Set map.items.${from} of the stage to an item of ${portalName}.`,
    }),
  );
}
