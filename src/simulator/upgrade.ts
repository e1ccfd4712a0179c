import type { World } from './world';

/**
 * Makes a start with a later release an in-place upgrade. Items, groups, users, folders and settings stay. Not so:
 *
 * - the search index is rebuilt (documented, as the last step of an upgrade);
 * - `showInAppLauncher` is lost (documented);
 * - jobs are lost, running ones stop; tokens expire; parts not yet joined are lost, because they are in none of the
 *   folders (content, db, index) that a documented upgrade keeps (all assumed).
 */
export async function upgradeInPlace(world: World): Promise<void> {
  const { release } = world.settings;
  const before = world.portal.release;
  world.changePortal({ release: release.text });
  if (before === undefined || release.text === before || !release.atLeast(before)) return;
  world.expireTokens();
  for (const { id } of [...world.jobs.values()]) world.jobs.remove(id);
  for (const item of [...world.items.values()]) {
    if (item.status === 'partial' || item.status === 'processing') await world.files.dropParts(item.id);
    // Its parts are lost, so an upload that was not committed must start over.
    if (item.status === 'processing')
      world.items.change(item.id, { status: 'failed', statusMessage: 'The upload was interrupted.' });
    else world.items.change(item.id, { indexedAt: Date.now() + world.settings.searchLagMs });
  }
  const { portalConfigProperties, ...settings } = world.portal.settings;
  if (!portalConfigProperties) return;
  const { showInAppLauncher: _lost, ...properties } = portalConfigProperties as Record<string, unknown>;
  world.changePortal({ settings: { ...settings, portalConfigProperties: properties } });
}
