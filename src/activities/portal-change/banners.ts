import { z } from 'zod';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import type { IntendedWrite } from '../../model/run/policy';
import { type BannerRecord, bannerRecord } from '../../model/run/run';
import { sameBanner } from '../../domain/portal-change/setting-values';
import { flag, text } from '../../portal/http/reading';
import { readSettings, writeSettings } from '../../portal/resources/settings';
import { isAltered, readUnaltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { writeOnce } from '../attempt/post-once';

/** Which run shows its banner on a portal, and the banner before all runs. */
const shownBanner = z.object({
  runId: z.string(),
  ours: bannerRecord,
  before: bannerRecord.nullable(),
});

export type ShownBanner = z.infer<typeof shownBanner> & { readonly target: PortalFacts };

/**
 * Reads the banner to restore later. If another run's is shown, that is the one before it: that run may have been
 * terminated and never restore it. Throws if the policy forbids a banner, and NOTE_ALTERED if its state file was
 * modified.
 */
export async function readBannerBefore(
  deps: ActivityDeps,
  { target }: { target: PortalFacts },
): Promise<BannerRecord | null> {
  await deps.policy.require(bannerOn(target));
  const live = await liveBanner(deps, target);
  const noted = await notedBanner(deps, target);
  return noted && sameBanner(noted.ours, live) ? noted.before : live;
}

/** Shows the run's banner. Saves the previous one in the store first, for later runs. */
export async function showBanner(
  deps: ActivityDeps,
  { runId, target, ours, before }: ShownBanner,
): Promise<void> {
  await deps.policy.require(bannerOn(target));
  await deps.store.writeJson(keys.banner(target.name), { runId, ours, before });
  await writeBannerOnce(deps, target, ours);
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
  const live = await liveBanner(deps, target);
  if (sameBanner(live, ours) && !sameBanner(before, ours)) {
    await writeBannerOnce(deps, target, before);
    // A portal that cannot clear a banner can still disable it.
    if (!isShown(before) && isShown(await liveBanner(deps, target)))
      await writeBannerOnce(deps, target, { ...ours, ...before, enabled: false });
    if (sameBanner(await liveBanner(deps, target), ours))
      throw new PortolanError('NOT_TAKEN', `${target.name} still shows the banner of this run.`, {
        portal: target.name,
      });
  }
  const { value: noted } = await readUnaltered(deps.store, keys.banner(target.name), shownBanner);
  if (noted?.runId === runId) await deps.store.remove(keys.banner(target.name));
  return sameBanner(live, ours) || sameBanner(live, before) ? 'back' : 'theirs';
}

const liveValues = z.looseObject({ text, bgColor: text, fontColor: text, enabled: flag });

/** The banner without what is not set in it; null if nothing is. */
async function liveBanner(
  { portals }: ActivityDeps,
  { name, portalId }: PortalFacts,
): Promise<BannerRecord | null> {
  const settings = await readSettings(portals.open(name), portalId);
  const { data = {} } = liveValues.safeParse(settings['informationalBanner']);
  const values = Object.entries(data).filter(([, value]) => value !== undefined && value !== null);
  return values.length > 0 ? Object.fromEntries(values) : null;
}

const isShown = (banner: BannerRecord | null): boolean => banner?.enabled === true;

const writeBannerOnce = (deps: ActivityDeps, target: PortalFacts, banner: BannerRecord | null) =>
  writeOnce({
    isThere: async () => sameBanner(await liveBanner(deps, target), banner),
    post: (options) =>
      writeSettings(
        deps.portals.open(target.name),
        target.portalId,
        { informationalBanner: banner ?? {} },
        { version: target.release, isPortal: target.isPortal },
        options,
      ),
  });

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
