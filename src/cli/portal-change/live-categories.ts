import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import type { Category } from '../../model/portal-change/category-schema';
import type { Portal } from '../../portal/client';
import type { PortalSelf } from '../../portal/resources/portals';

/** A portal's current category schema, and the signed-in account. */
export interface LiveCategories {
  readonly portal: Portal;
  readonly self: PortalSelf;
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
  check: (self: PortalSelf) => void = () => undefined,
): Promise<T> {
  findPortal(config, name);
  const [{ PortalPool }, { readSelf }, { readCategorySchema }] = await Promise.all([
    import('../../config/portal-pool.js'),
    import('../../portal/resources/portals.js'),
    import('../../portal/resources/category-schema.js'),
  ]);
  const portals = new PortalPool(config);
  try {
    const portal = portals.open(name);
    const self = await readSelf(portal);
    check(self);
    const portalId = self.id ?? 'self';
    return await work({ portal, self, portalId, trees: await readCategorySchema(portal, portalId) });
  } finally {
    await portals.close();
  }
}
