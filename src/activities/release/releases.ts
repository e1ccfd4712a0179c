import { z } from 'zod';
import { contentOfSnapshot } from '../../domain/release/content-hash';
import { releaseIds } from '../../domain/release/release-ids';
import { isGood } from '../../domain/snapshot/list-snapshots';
import { settingsDocument } from '../../domain/portal-change/settings';
import { exportedOf, fileSettings } from '../../domain/portal-change/settings-file';
import { isOneAddress } from '../../model/address/portal-identity';
import { PortolanError } from '../../model/errors/errors';
import { categorySchema, countCategories, plainTrees } from '../../model/portal-change/category-schema';
import type { ReleasedGroup, ReleaseManifest } from '../../model/release/release';
import { groupBackup, type ReleaseInput } from '../../model/release/release-input';
import { bytesIn } from '../../model/snapshot/snapshot';
import { readCategorySchema } from '../../portal/resources/category-schema';
import { readSelf } from '../../portal/resources/portals';
import { releaseOf } from '../../portal/http/versions';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { stopSignal } from '../attempt/heartbeat';
import { openPortalRef } from '../portal-change/portal-ref';
import { serverTime } from '../attempt/clock';

/** A release's portal settings, read at one moment. */
const portalState = z.object({
  version: z.string(),
  settings: z.object({ content: z.unknown(), count: z.number() }).optional(),
  categories: z.object({ content: categorySchema, count: z.number() }).optional(),
});

/** A release's portal settings, in figures. */
interface PortalState {
  readonly settings?: number;
  readonly categories?: number;
}

/** A snapshot of one group, by the run that made it. */
interface TakenGroup {
  readonly index: number;
  readonly snapshotId: string;
}

/** Claims an ID for the release a run is about to make. */
export async function claimRelease(deps: ActivityDeps, { runId }: { runId: string }): Promise<string> {
  const { store } = deps;
  const { route } = await signedRelease(deps, runId);
  return await releaseIds(store).claim({ runId, pipeline: route.name, now: serverTime() });
}

/** Frees the ID if no release was made. */
export async function giveReleaseBack(
  { store }: ActivityDeps,
  { runId, id }: { runId: string; id: string },
): Promise<void> {
  await releaseIds(store).giveBack(id, runId);
}

/** Reads the portal settings of a release into the store, at one moment. Writes nothing to the portal. */
export async function readPortalState(
  deps: ActivityDeps,
  { runId }: { runId: string },
): Promise<PortalState> {
  const { portals, store } = deps;
  const { route, settings, categories } = await signedRelease(deps, runId);
  const portal = openPortalRef(portals, route.source);
  const options = { signal: stopSignal() };
  const self = await readSelf(portal, options);
  const live = settings ? await settingsDocument.read(portal, options) : undefined;
  const trees = categories ? await readCategorySchema(portal, self.id ?? 'self', options) : undefined;
  const ofFile = live && fileSettings(live).settings;
  const state: z.infer<typeof portalState> = {
    version: releaseOf(self)?.text ?? '',
    settings: live && {
      content: { exported: exportedOf(live), ...ofFile },
      count: Object.values(ofFile ?? {}).reduce((sum, object) => sum + Object.keys(object ?? {}).length, 0),
    },
    categories: trees && {
      content: { categorySchema: plainTrees(trees) },
      count: countCategories(trees),
    },
  };
  await store.writeJson(keys.portalState(runId), state);
  return { settings: state.settings?.count, categories: state.categories?.count };
}

/**
 * Makes the release from the snapshots of its groups. Throws RELEASE_INCOMPLETE if one is incomplete, missing, or of
 * another group.
 */
export async function commitRelease(
  deps: ActivityDeps,
  { runId, taken, claimed }: { runId: string; taken: readonly TakenGroup[]; claimed: string },
): Promise<Pick<ReleaseManifest, 'id' | 'sha256'>> {
  const { snapshots, store } = deps;
  const release = await signedRelease(deps, runId);
  const { route, stage, groups } = release;
  const state = await store.readJson(keys.portalState(runId), portalState);
  if (!state) throw new PortolanError('INTERNAL', `${runId} has not read its portal`);
  const snapshotOf = new Map(taken.map(({ index, snapshotId }) => [index, snapshotId]));
  const held: ReleasedGroup[] = [];
  for (const [index, { name, groupId }] of groups.entries()) {
    const id = snapshotOf.get(index) ?? '';
    const manifest = await snapshots.find(id);
    const isThat =
      manifest?.route === groupBackup(release, index).route.name &&
      manifest.source.groupId === groupId &&
      isOneAddress(manifest.source.url, route.source.url);
    if (!isThat || !isGood(manifest))
      throw new PortolanError('RELEASE_INCOMPLETE', `group "${name}" has no complete snapshot`);
    held.push({
      ...{ name, groupId, snapshotId: id },
      sha256: contentOfSnapshot(manifest),
      items: manifest.rows.saved,
      sizeBytes: bytesIn(manifest),
    });
  }
  const { portal, url } = route.source;
  const manifest = await snapshots.releases.commit(
    {
      ...{ runId, pipeline: route.name, who: release.startedBy, reason: release.reason, groups: held },
      source: { stage, portal, url, version: state.version },
      settings: state.settings,
      categories: state.categories,
    },
    claimed,
  );
  return { id: manifest.id, sha256: manifest.sha256 };
}

/** The signed release, whatever the workflow says. */
async function signedRelease({ authority }: ActivityDeps, runId: string): Promise<ReleaseInput> {
  return { ...((await authority.requireSigned(runId, 'release')) as ReleaseInput), runId };
}
