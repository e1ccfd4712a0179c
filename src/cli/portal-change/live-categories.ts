import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import type { FoundPortal } from '../../domain/portal-change/portal-document';
import type { Category } from '../../model/portal-change/category-schema';
import type { Portal } from '../../portal/client';

/** A portal's current category schema, and the signed-in account. */
export interface LiveCategories {
  readonly portal: Portal;
  readonly portalId: string;
  readonly trees: readonly Category[];
}

/**
 * Reads a portal's category schema and works with it.
 *
 * @param check told who is signed in before the schema is read
 * @throws PortolanError PORTAL_NOT_FOUND
 */
export async function withLiveCategories<T>(
  config: Config,
  name: string,
  work: (live: LiveCategories) => Promise<T>,
  check: (found: FoundPortal) => void = () => undefined,
): Promise<T> {
  findPortal(config, name);
  const [{ PortalPool }, { readPortal }, { readCategorySchema }] = await Promise.all([
    import('../../config/portal-pool.js'),
    import('../../domain/portal-change/portal-document.js'),
    import('../../portal/resources/category-schema.js'),
  ]);
  const portals = new PortalPool(config);
  try {
    const portal = portals.open(name);
    const found = await readPortal(portal);
    check(found);
    const { portalId } = found;
    return await work({ portal, portalId, trees: await readCategorySchema(portal, portalId) });
  } finally {
    await portals.close();
  }
}
