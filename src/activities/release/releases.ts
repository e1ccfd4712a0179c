import { z } from 'zod';
import { contentOfSnapshot, releaseId } from '../../domain/release/releases';
import { isGood } from '../../domain/snapshot/list-snapshots';
import { settingsDocument } from '../../domain/portal-change/settings';
import { exportedOf, fileSettings } from '../../domain/portal-change/settings-file';
import { isOneAddress } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import { countCategories, plainTrees } from '../../model/portal-change/category-schema';
import { releasedDocument, type ReleasedGroup, type ReleaseManifest } from '../../model/release/release';
import { groupBackup, type ReleaseInput } from '../../model/release/release-input';
import { bytesIn } from '../../model/snapshot/snapshot';
import { readCategorySchema } from '../../portal/resources/category-schema';
import { readSelf } from '../../portal/resources/portals';
import { releaseOf } from '../../portal/http/versions';
import { keys } from '../../store/keys';
import { type ActivityDeps, openPortalRef } from '../deps';
import { activityTime } from '../attempt/heartbeat';

/** The ID of a release, and its portal settings, read at one moment. */
const portalState = z.object({
  id: z.string(),
  version: z.string(),
  settings: releasedDocument.optional(),
  categories: releasedDocument.optional(),
});

/** What a release will hold of the portal, in figures. */
interface PortalState {
  readonly id: string;
  readonly settings?: number;
  readonly categories?: number;
}

/** A snapshot of one group, by the run that made it. */
interface TakenGroup {
  readonly index: number;
  readonly snapshotId: string;
}

/** Reads the portal settings of a release into the store, at one moment, with the ID that it will have. */
export async function readPortalState(
  deps: ActivityDeps,
  { runId }: { runId: string },
): Promise<PortalState> {
  const { portals, store } = deps;
  const { route, settings, categories } = await signedRelease(deps, runId);
  const portal = openPortalRef(portals, route.source);
  const self = await readSelf(portal);
  const live = settings ? await settingsDocument.read(portal) : undefined;
  const trees = categories ? await readCategorySchema(portal, self.id ?? 'self') : undefined;
  const ofFile = live && fileSettings(live).settings;
  const state: z.infer<typeof portalState> = {
    id: releaseId(route.name, runId, activityTime()),
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
  return { id: state.id, settings: state.settings?.count, categories: state.categories?.count };
}

/**
 * Makes the release from the snapshots of its groups. Throws RELEASE_INCOMPLETE if one is incomplete, missing, or of
 * another group.
 */
export async function commitRelease(
  deps: ActivityDeps,
  { runId, taken }: { runId: string; taken: readonly TakenGroup[] },
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
      name,
      groupId,
      snapshotId: id,
      sha256: contentOfSnapshot(manifest),
      items: manifest.rows.saved,
      sizeBytes: bytesIn(manifest),
    });
  }
  const { portal, url } = route.source;
  const manifest = await snapshots.releases.commit({
    runId,
    pipeline: route.name,
    who: release.startedBy,
    reason: release.reason,
    groups: held,
    source: { stage, portal, url, version: state.version },
    id: state.id,
    settings: state.settings,
    categories: state.categories,
  });
  return { id: manifest.id, sha256: manifest.sha256 };
}

/** The signed release, whatever the workflow says. */
const signedRelease = ({ authority }: ActivityDeps, runId: string): Promise<ReleaseInput> =>
  authority.requireSigned(runId, 'release');
