import type { World } from './world';

/**
 * Makes an upgrade in place of a start by a later release on what an earlier one has left. Items, groups, users,
 * folders and settings stay. What does not:
 *
 * - the search index is built anew (documented, as the last step of an upgrade);
 * - `showInAppLauncher` is lost (documented);
 * - jobs are forgotten, and those under way end where they are; tokens are expired; parts that were not joined are gone,
 *   since they lie in none of the folders (content, db, index) that an upgrade is documented to take over (all assumed).
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
    // What was to be joined is gone; an upload that was not committed begins again.
    if (item.status === 'processing')
      world.items.change(item.id, { status: 'failed', statusMessage: 'The upload was interrupted.' });
    else world.items.change(item.id, { indexedAt: Date.now() + world.settings.searchLagMs });
  }
  const { portalConfigProperties, ...settings } = world.portal.settings;
  if (!portalConfigProperties) return;
  const { showInAppLauncher: _lost, ...properties } = portalConfigProperties as Record<string, unknown>;
  world.changePortal({ settings: { ...settings, portalConfigProperties: properties } });
}
