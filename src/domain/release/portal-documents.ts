import { type Category, categorySchema } from '../../model/portal-change/category-schema';
import { PortolanError } from '../../model/errors/errors';
import type { ReleaseManifest } from '../../model/release/release';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { readCategorySchema } from '../../portal/resources/category-schema';
import { readSelf } from '../../portal/resources/portals';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import {
  categoriesAsBefore,
  categoriesDraft,
  type PortalDraft,
  settingsAsBefore,
  settingsDraft,
} from '../portal-change/portal-draft';
import { promotionOf } from '../portal-change/settings/promotion';
import { parseSettings } from '../portal-change/settings/settings-file';
import { readSettingsPortal, requireSettable } from '../portal-change/settings/settings-portal';
import { desiredNote } from '../portal-change/settings/settings-values';
import type { Releases } from './releases';

/** The portal of a stage, and the releases for it. */
export interface StagePortal {
  readonly portal: Portal;
  readonly releases: Releases;
  readonly options?: CallOptions;
}

/** Settings or category schema of a stage's portal: how a promotion changes it and rolls it back. */
interface PortalDocument {
  readonly title: string;
  ofRelease(stage: StagePortal, releaseId: string): Promise<PortalDraft>;
  /** @param undone the run whose change is rolled back */
  asBefore(stage: StagePortal, store: Store, undone: string): Promise<PortalDraft>;
}

export const portalDocuments: Record<'settings' | 'categories', PortalDocument> = {
  settings: {
    title: 'settings',
    async ofRelease({ portal, releases, options }, releaseId) {
      const { manifest, content } = await contentOf(releases, releaseId, 'settings');
      const target = await readSettingsPortal(portal, options);
      const { settings } = parseSettings(content);
      const { desired, left } = promotionOf(settings.desired, [manifest.source.url], new Map());
      requireSettable(target, desired);
      const held = Object.fromEntries(Object.entries(desired).filter(([object]) => object in target.live));
      return settingsDraft(target.live, held, [...left]);
    },
    async asBefore({ portal, options }, store, undone) {
      const before = (await store.readJson(keys.before(undone), desiredNote)) ?? {};
      const set = (await store.readJson(keys.desired(undone), desiredNote)) ?? {};
      return settingsAsBefore((await readSettingsPortal(portal, options)).live, { before, set });
    },
  },
  categories: {
    title: 'category schema',
    async ofRelease(stage, releaseId) {
      const { content } = await contentOf(stage.releases, releaseId, 'categories');
      return categoriesDraft(await liveCategories(stage), categorySchema.parse(content).categorySchema);
    },
    async asBefore(stage, store, undone) {
      const before = (await store.readJson(keys.before(undone), categorySchema))?.categorySchema ?? [];
      const set = (await store.readJson(keys.desired(undone), categorySchema))?.categorySchema ?? [];
      return categoriesAsBefore(await liveCategories(stage), { before, set });
    },
  },
};

async function contentOf(
  releases: Releases,
  releaseId: string,
  part: 'settings' | 'categories',
): Promise<{ manifest: ReleaseManifest; content: unknown }> {
  const { manifest } = await releases.read(releaseId);
  const named = manifest[part];
  if (!named) throw new PortolanError('INTERNAL', `${manifest.id} contains no ${part}`);
  return { manifest, content: named.content };
}

const liveCategories = async ({ portal, options }: StagePortal): Promise<readonly Category[]> =>
  await readCategorySchema(portal, (await readSelf(portal, options)).id ?? 'self', options);
