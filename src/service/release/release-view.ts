import { releaseShown, type ReleaseView } from '../../contract/releases';
import type { KnownRelease } from '../../domain/release/releases';

export function releaseView({ manifest, pin, block }: KnownRelease): ReleaseView {
  const sum = (of: 'items' | 'sizeBytes'): number =>
    manifest.groups.reduce((all, group) => all + group[of], 0);
  return releaseShown.parse({ ...manifest, pin, block, items: sum('items'), sizeBytes: sum('sizeBytes') });
}
