import type { Config } from '../config/config';
import { findPortal } from '../config/resolve-route';
import type { Portal } from '../portal/client';
import type { SettingsPortal } from '../settings/settings-portal';

/**
 * Reads the settings of portals as they are at this moment, and works with them.
 *
 * @throws PortolanError PORTAL_NOT_FOUND
 */
export async function withLiveSettings<T>(
  config: Config,
  names: readonly string[],
  work: (live: readonly SettingsPortal[], portals: readonly Portal[]) => Promise<T>,
): Promise<T> {
  for (const name of names) findPortal(config, name);
  const [{ PortalPool }, { readSettingsPortal }] = await Promise.all([
    import('../config/portal-pool.js'),
    import('../settings/settings-portal.js'),
  ]);
  const portals = new PortalPool(config);
  try {
    const opened = names.map((name) => portals.open(name));
    return await work(await Promise.all(opened.map((portal) => readSettingsPortal(portal))), opened);
  } finally {
    await portals.close();
  }
}
