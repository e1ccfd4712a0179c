import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import type { Portal } from '../../portal/client';
import type { Found } from '../../domain/portal-change/portal-document';
import type { Settings } from '../../domain/portal-change/setting-values';

/** Reads a portal's current settings and passes them on. @throws PortolanError PORTAL_NOT_FOUND */
export async function withLiveSettings<T>(
  config: Config,
  name: string,
  work: (live: Found<Settings>, portal: Portal) => Promise<T>,
): Promise<T> {
  findPortal(config, name);
  const [{ PortalPool }, { settingsDocument }] = await Promise.all([
    import('../../config/portal-pool.js'),
    import('../../domain/portal-change/settings.js'),
  ]);
  const portals = new PortalPool(config);
  try {
    const portal = portals.open(name);
    return await work(await settingsDocument.read(portal), portal);
  } finally {
    await portals.close();
  }
}
