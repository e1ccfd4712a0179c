import { compareReleases } from '../../domain/release/compare-releases';
import { findRelease } from '../../domain/resolve-id';
import type { Releases } from '../../domain/release/releases';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { releasesInUse } from '../../domain/snapshot/retention/run-facts';
import type { SnapshotPin } from '../../model/snapshot/snapshot';
import { openRuns } from '../run/lookup/indexed-runs';
import type { ReadContext, StoredSources } from '../run/run-sources';
import {
  type ListedReleases,
  releaseComparison,
  type ReleaseDiffView,
  type ReleaseView,
  releaseView,
} from './release-view';

/** Throws if the caller may not change it. @param pipeline undefined where the release does not tell any more */
export type MayChange = (pipeline: string | undefined) => void;

/** Releases, newest first. @param pipeline only those of it */
export async function listReleases(sources: StoredSources, pipeline?: string): Promise<ListedReleases> {
  const { readable, unreadable } = await releasesOf(sources).list();
  return {
    releases: readable
      .filter(({ manifest }) => pipeline === undefined || manifest.pipeline === pipeline)
      .map(releaseView),
    unreadable,
  };
}

/**
 * Throws `RELEASE_NOT_FOUND`, and `USAGE` if several match.
 * @param text id, an end of it, `latest`, or `latest:PIPELINE`
 */
export async function readRelease(sources: StoredSources, text: string): Promise<ReleaseView> {
  const releases = releasesOf(sources);
  return releaseView(await releases.read(await findRelease(releases, text)));
}

/** Compares two releases. */
export async function diffReleases(
  { config, store }: StoredSources,
  earlier: string,
  later: string,
): Promise<ReleaseDiffView> {
  const snapshots = openSnapshots(config, store);
  const { releases } = snapshots;
  const before = await releases.read(await findRelease(releases, earlier));
  const after = await releases.read(await findRelease(releases, later));
  return releaseComparison.parse(await compareReleases(config, snapshots, before.manifest, after.manifest));
}

/** Keeps a release until it is unpinned. */
export async function pinRelease(
  sources: StoredSources,
  text: string,
  { who, reason }: Pick<SnapshotPin, 'who' | 'reason'>,
  require?: MayChange,
): Promise<{ readonly id: string; readonly pin: SnapshotPin }> {
  const releases = releasesOf(sources);
  const id = await changeable(releases, text, require);
  const pin = { at: new Date().toISOString(), who, reason };
  await releases.pin(id, pin);
  return { id, pin };
}

/** Allows a release to be forgotten again. */
export async function unpinRelease(
  sources: StoredSources,
  text: string,
  require?: MayChange,
): Promise<{ readonly id: string; readonly wasPinned: boolean }> {
  const releases = releasesOf(sources);
  const id = await changeable(releases, text, require);
  return { id, wasPinned: await releases.unpin(id) };
}

/** Removes a release; its snapshots stay. @param dryRun only says which one is meant */
export async function forgetRelease(
  sources: ReadContext,
  text: string,
  { dryRun }: { readonly dryRun: boolean },
  require?: MayChange,
): Promise<{ readonly id: string; readonly forgotten: boolean }> {
  const releases = releasesOf(sources);
  const id = await changeable(releases, text, require);
  const { store, temporal } = sources;
  if (!dryRun) await releases.forget(id, await releasesInUse(store, temporal && (await openRuns(temporal))));
  return { id, forgotten: !dryRun };
}

/** The ID of a release the caller may change; it may be unreadable. */
async function changeable(releases: Releases, text: string, require?: MayChange): Promise<string> {
  const id = await findRelease(releases, text);
  if (require)
    require(
      await releases.find(id).then(
        (manifest) => manifest?.pipeline,
        () => undefined,
      ),
    );
  return id;
}

const releasesOf = ({ config, store }: StoredSources): Releases => openSnapshots(config, store).releases;
