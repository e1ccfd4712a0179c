import { z } from 'zod';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import type { IntendedWrite } from '../../model/run/policy';
import { type BannerRecord, bannerRecord } from '../../model/run/run';
import { isShown, readBanner, writeBanner } from '../../portal/resources/banner';
import { sameBanner } from '../../domain/portal-change/settings/settings-values';
import { isAltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { stopSignal } from '../attempt/heartbeat';
import { writeOnce } from './write-once';

/** Which run shows its banner on a portal, and the banner before all runs. */
const shownBanner = z.object({
  runId: z.string(),
  ours: bannerRecord,
  before: bannerRecord.nullable(),
});

export interface ShownBanner {
  readonly runId: string;
  readonly target: PortalFacts;
  readonly ours: BannerRecord;
  readonly before: BannerRecord | null;
}

/**
 * Reads the banner to restore later. If another run's is shown, that is the one before it: that run may have been
 * terminated and never restore it. Throws if the policy forbids a banner, and NOTE_ALTERED if its state file was
 * modified.
 */
export async function readBannerBefore(
  deps: ActivityDeps,
  { target }: { target: PortalFacts },
): Promise<BannerRecord | null> {
  const { policy, portals } = deps;
  await policy.require(bannerOn(target));
  const live = await readBanner(portals.open(target.name), target.portalId, { signal: stopSignal() });
  const noted = await notedBanner(deps, target);
  return noted && sameBanner(noted.ours, live) ? noted.before : live;
}

/** Shows the run's banner. Saves the previous one in the store first, for later runs. */
export async function showBanner(
  { policy, portals, store }: ActivityDeps,
  { runId, target, ours, before }: ShownBanner,
): Promise<void> {
  const portal = portals.open(target.name);
  const options = { signal: stopSignal() };
  await policy.require(bannerOn(target));
  await store.writeJson(keys.banner(target.name), { runId, ours, before });
  await writeOnce({
    isThere: async () => sameBanner(await readBanner(portal, target.portalId, options), ours),
    post: (writing) => writeBanner(portal, target.portalId, ours, holderOf(target), writing),
  });
}

/**
 * Restores the previous banner if the run's is still shown. Returns `theirs` if someone has changed it: then it stays.
 * Safe to repeat. Needs no policy, because the run's own banner is always removed.
 * @throws PortolanError NOT_TAKEN if the portal still shows the run's banner afterwards
 */
export async function putBannerBack(
  deps: ActivityDeps,
  { runId, target, ours, before }: ShownBanner,
): Promise<'back' | 'theirs'> {
  const { portals, store } = deps;
  const portal = portals.open(target.name);
  const options = { signal: stopSignal() };
  const read = () => readBanner(portal, target.portalId, options);
  const live = await read();
  if (sameBanner(live, ours) && !sameBanner(before, ours)) {
    const post = (banner: BannerRecord | null) =>
      writeOnce({
        isThere: async () => sameBanner(await read(), banner),
        post: (writing) => writeBanner(portal, target.portalId, banner, holderOf(target), writing),
      });
    await post(before);
    // A portal that cannot clear a banner can still disable it.
    if (!isShown(before) && isShown(await read())) await post({ ...ours, ...before, enabled: false });
    if (sameBanner(await read(), ours))
      throw new PortolanError('NOT_TAKEN', `${target.name} still shows the banner of this run.`, {
        portal: target.name,
      });
  }
  const noted = await notedBanner(deps, target).catch(unlessAltered);
  if (noted?.runId === runId) await store.remove(keys.banner(target.name));
  return sameBanner(live, ours) || sameBanner(live, before) ? 'back' : 'theirs';
}

async function notedBanner(
  { store }: ActivityDeps,
  { name }: PortalFacts,
): Promise<z.infer<typeof shownBanner> | undefined> {
  const key = keys.banner(name);
  return await store.readJson(key, shownBanner).catch((thrown: unknown) => {
    if (!isAltered(thrown)) throw thrown;
    throw new PortolanError(
      'NOTE_ALTERED',
      `${PortolanError.from(thrown).plainMessage}; the earlier banner is not restored from it. Check the banner of ${name}, and delete ${key}`,
      { portal: name },
    );
  });
}

const bannerOn = ({ name }: PortalFacts): IntendedWrite => ({ writer: 'banner', target: { portal: name } });

const holderOf = ({ release: version, isPortal }: PortalFacts) => ({ version, isPortal });

function unlessAltered(thrown: unknown): undefined {
  if (!isAltered(thrown)) throw thrown;
  return undefined;
}
