import { type Category, categorySchema } from '../../model/portal-change/category-schema';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { readCategorySchema } from '../../portal/resources/category-schema';
import { readSelf } from '../../portal/resources/portals';
import { categoriesDraft, type PortalDraft, settingsDraft } from '../portal-change/portal-draft';
import { promotionOf } from '../portal-change/settings/promotion';
import { parseSettings } from '../portal-change/settings/settings-file';
import {
  readSettingsPortal,
  requireSettable,
  type SettingsPortal,
} from '../portal-change/settings/settings-portal';
import type { Releases } from './releases';

/** Settings and category schema of a stage's portal beside those that a release holds. Changes nothing. */
export class StagePortal {
  constructor(
    private readonly portal: Portal,
    private readonly releases: Releases,
    private readonly options: CallOptions = {},
  ) {}

  /** The change that gives the portal the release's settings. */
  async settingsOf(releaseId: string): Promise<PortalDraft> {
    const { manifest } = await this.releases.read(releaseId);
    if (!manifest.settings) throw new PortolanError('INTERNAL', `${manifest.id} contains no settings`);
    const { settings } = parseSettings(await this.releases.contentOf(manifest.settings));
    const target = await this.live();
    const { desired, left } = promotionOf(settings.desired, [manifest.source.url], new Map());
    requireSettable(target, desired);
    const held = Object.fromEntries(Object.entries(desired).filter(([object]) => object in target.live));
    return settingsDraft(target.live, held, [...left]);
  }

  /** The change that gives the portal the release's category schema. */
  async categoriesOf(releaseId: string): Promise<PortalDraft> {
    const { manifest } = await this.releases.read(releaseId);
    if (!manifest.categories) throw new PortolanError('INTERNAL', `${manifest.id} contains no categories`);
    const { categorySchema: desired } = categorySchema.parse(
      await this.releases.contentOf(manifest.categories),
    );
    return categoriesDraft(await this.liveCategories(), desired);
  }

  async live(): Promise<SettingsPortal> {
    return await readSettingsPortal(this.portal, this.options);
  }

  async liveCategories(): Promise<readonly Category[]> {
    const { portal, options } = this;
    return await readCategorySchema(portal, (await readSelf(portal, options)).id ?? 'self', options);
  }
}
