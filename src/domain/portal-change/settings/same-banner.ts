import type { BannerRecord } from '../../../model/run/run';
import { isShown } from '../../../portal/resources/banner';
import { isSame } from './settings-values';

const parts = ['text', 'bgColor', 'fontColor', 'enabled'] as const;

/**
 * Whether two banners show the same, however a portal spells their colours and whatever else it keeps with them. Of
 * those that nobody sees only the text counts.
 */
export function sameBanner(one: BannerRecord | null, other: BannerRecord | null): boolean {
  const compared = isShown(one) || isShown(other) ? parts : (['text'] as const);
  return compared.every((name) =>
    isSame('informationalBanner', name, one?.[name] ?? '', other?.[name] ?? ''),
  );
}
