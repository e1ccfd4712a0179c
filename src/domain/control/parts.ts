import { isDeepStrictEqual } from 'node:util';
import type { ChangeInput } from '../../model/portal-change/change';
import { type DuePromotionInput, isDuePromotion } from '../../model/release/due-promotion';
import { partOfPromotion, type PromotionInput } from '../../model/release/promotion-input';
import { groupBackup, type ReleaseInput } from '../../model/release/release-input';
import type { BisectInput } from '../../model/run/bisect';
import type { RunInput } from '../../model/run/run-input';

/** A run that is a part of another one, or, of a promotion's, a change of its portal. */
export type Part = (RunInput | ChangeInput) & { readonly parent?: string };

/** Which runs are made of others: the workflow of a part, where its start is that of one. */
export const partsOf: Readonly<
  Record<string, ((part: Part, whole: object) => string | undefined) | undefined>
> = {
  bisect: (part, whole) => {
    const search = whole as BisectInput;
    const isPart =
      part.parent === search.runId &&
      part.startedBy === search.startedBy &&
      'route' in part &&
      isDeepStrictEqual(withoutItems(part.route), withoutItems(search.route));
    return isPart ? 'sync' : undefined;
  },
  release: (part, whole) => {
    const release = whole as ReleaseInput;
    const index = release.groups.findIndex((_, at) => groupBackup(release, at).runId === part.runId);
    return index >= 0 && isDeepStrictEqual(plain(part), plain(groupBackup(release, index)))
      ? 'backup'
      : undefined;
  },
  promotion: (part, whole) => partOfPromotion(part, whole as PromotionInput),
  promote: (part, whole) => (isDuePromotion(part, whole as DuePromotionInput) ? 'promotion' : undefined),
};

/** As it comes through Temporal. */
const plain = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

/** A route with all that a part of a search has of it. */
function withoutItems({ options, ...rest }: RunInput['route']): object {
  const { items: _items, itemList: _list, ...others } = options;
  return plain({ ...rest, options: others });
}
