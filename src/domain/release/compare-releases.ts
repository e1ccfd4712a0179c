import type { Config } from '../../config/config';
import { categorySchema } from '../../model/portal-change/category-schema';
import type { FieldChange } from '../../model/run/run';
import type { ReleaseManifest } from '../../model/release/release';
import { categoryDifferences } from '../portal-change/category-differences';
import { settingChanges } from '../portal-change/setting-values';
import { parseSettings } from '../portal-change/settings-file';
import { compareSnapshots, type SnapshotComparison } from '../snapshot/compare-snapshots';
import type { Snapshots } from '../snapshot/snapshots';

/** What two releases have otherwise. */
interface ReleaseComparison {
  readonly before: string;
  readonly after: string;
  readonly groups: readonly GroupComparison[];
  /** Absent where neither holds any. */
  readonly settings?: readonly FieldChange[];
  /** Absent where neither holds a schema. */
  readonly categories?: readonly FieldChange[];
}

interface GroupComparison {
  readonly name: string;
  /** `added` and `removed`: only one of the two has a group of that name. */
  readonly difference: 'same' | 'changed' | 'added' | 'removed';
  /** Absent where there is nothing to compare. */
  readonly items?: SnapshotComparison['items'];
  readonly counts?: SnapshotComparison['counts'];
}

/** Compares what two releases hold. Throws what reading their snapshots throws. */
export async function compareReleases(
  config: Config,
  snapshots: Snapshots,
  before: ReleaseManifest,
  after: ReleaseManifest,
): Promise<ReleaseComparison> {
  const names = [...new Set([...before.groups, ...after.groups].map(({ name }) => name))];
  const groups: GroupComparison[] = [];
  for (const name of names) {
    const [one, other] = [before, after].map((release) => release.groups.find((each) => each.name === name));
    if (!one || !other) groups.push({ name, difference: one ? 'removed' : 'added' });
    else if (one.sha256 === other.sha256) groups.push({ name, difference: 'same' });
    else {
      const found = await compareSnapshots(config, snapshots, one.snapshotId, other.snapshotId);
      const { items, counts } = found;
      const isSame = counts.added + counts.removed + counts.changed + counts.notCompared === 0;
      groups.push({ name, difference: isSame ? 'same' : 'changed', items, counts });
    }
  }
  return {
    before: before.id,
    after: after.id,
    groups,
    settings: (before.settings ?? after.settings) && settingChanges(settingsIn(before), settingsIn(after)),
    categories:
      (before.categories ?? after.categories) &&
      categoryDifferences(categoriesIn(before), categoriesIn(after)),
  };
}

const settingsIn = ({ settings }: ReleaseManifest) =>
  settings ? parseSettings(settings.content).settings.desired : {};

const categoriesIn = ({ categories }: ReleaseManifest) =>
  categories ? categorySchema.parse(categories.content).categorySchema : [];
