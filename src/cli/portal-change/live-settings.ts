import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import type { Portal } from '../../portal/client';
import type { SettingsPortal } from '../../domain/portal-change/settings/settings-portal';

/** Reads a portal's current settings and passes them on. @throws PortolanError PORTAL_NOT_FOUND */
export async function withLiveSettings<T>(
  config: Config,
  name: string,
  work: (live: SettingsPortal, portal: Portal) => Promise<T>,
): Promise<T> {
  findPortal(config, name);
  const [{ PortalPool }, { readSettingsPortal }] = await Promise.all([
    import('../../config/portal-pool.js'),
    import('../../domain/portal-change/settings/settings-portal.js'),
  ]);
  const portals = new PortalPool(config);
  try {
    const portal = portals.open(name);
    return await work(await readSettingsPortal(portal), portal);
  } finally {
    await portals.close();
  }
}
