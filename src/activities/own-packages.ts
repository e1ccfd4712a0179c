import type { Portal } from '../portal/client';
import { type Item, PACKAGE_TYPE } from '../portal/item';
import { userContentPages } from '../portal/items';

/** Every package item that Portolan makes or adopts carries this tag and the run's id. */
export const OUR_TAG = 'portolan';

/** Package items in the root folder of an account: where portals put what an export makes. */
export async function packagesOf(portal: Portal, username: string, signal: AbortSignal): Promise<Item[]> {
  const found: Item[] = [];
  for await (const page of userContentPages(portal, username, {}, { signal })) {
    found.push(...page.items.filter((item) => item.type === PACKAGE_TYPE));
  }
  return found;
}

/** Names the package that an export makes, on portals that let us (from 11.3). */
export const exportName = (runId: string, purpose: string): string => `portolan-${purpose}-${runId}`;
