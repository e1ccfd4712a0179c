import { type releaseOperations, releaseComparison } from '../../contract/releases';
import { compareReleases } from '../../domain/release/compare-releases';
import type { Releases } from '../../domain/release/releases';
import { findRelease } from '../../domain/resolve-id';
import { releasesInUse } from '../../domain/snapshot/retention/run-facts';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import type { Context, Handlers } from '../context';
import { openRuns } from '../run/lookup/indexed-runs';
import { releaseView } from './release-view';

/** Each that is given a name throws `RELEASE_NOT_FOUND`, and `USAGE` if several match. */
export const releaseHandlers: Handlers<typeof releaseOperations> = {
  async listReleases(context, { pipeline }) {
    const { readable, unreadable } = await releasesOf(context).list();
    return {
      releases: readable
        .filter(({ manifest }) => pipeline === undefined || manifest.pipeline === pipeline)
        .map(releaseView),
      unreadable,
    };
  },

  async readRelease(context, { release }) {
    const releases = releasesOf(context);
    return releaseView(await releases.read(await findRelease(releases, release)));
  },

  async diffReleases({ config, store }, { release, with: later }) {
    const snapshots = openSnapshots(config, store);
    const { releases } = snapshots;
    const before = await releases.read(await findRelease(releases, release));
    const after = await releases.read(await findRelease(releases, later));
    return releaseComparison.parse(await compareReleases(config, snapshots, before.manifest, after.manifest));
  },

  async pinRelease(context, { release, reason }) {
    const { releases, id } = await changeable(context, release);
    const pin = { at: new Date().toISOString(), who: context.asker.who, reason };
    await releases.pin(id, pin);
    return { id, pin };
  },

  async unpinRelease(context, { release }) {
    const { releases, id } = await changeable(context, release);
    return { id, wasPinned: await releases.unpin(id) };
  },

  async blockRelease(context, { release, reason }) {
    const { releases, id } = await changeable(context, release);
    return { id, block: await releases.block(id, context.asker.who, reason) };
  },

  async unblockRelease(context, { release, reason }) {
    const { releases, id } = await changeable(context, release);
    return { id, wasBlocked: await releases.unblock(id, context.asker.who, reason) };
  },

  async forgetRelease(context, { release, dryRun }) {
    if (dryRun) return { id: await findRelease(releasesOf(context), release), forgotten: false };
    context.may.have('operate');
    const { releases, id } = await changeable(context, release);
    const { store, temporal } = context;
    await releases.forget(id, await releasesInUse(store, temporal && (await openRuns(temporal))));
    return { id, forgotten: true };
  },
};

/** A release that the caller may change; it may be unreadable. */
async function changeable(
  context: Context,
  text: string,
): Promise<{ readonly releases: Releases; readonly id: string }> {
  const releases = releasesOf(context);
  const id = await findRelease(releases, text);
  const manifest = await releases.find(id).catch(() => undefined);
  if (manifest) context.may.changeNamed('pipelines', manifest.pipeline);
  else context.may.changeShared();
  return { releases, id };
}

const releasesOf = ({ config, store }: Pick<Context, 'config' | 'store'>): Releases =>
  openSnapshots(config, store).releases;
