import type { SnapshotRow } from '../../../model/snapshot/snapshot';
import { type Placement, ROOT_FOLDER } from '../../../model/transfer/placement';
import type { RouteTarget } from '../../../model/transfer/route';
import { isSameUser } from '../../../model/text/same-user';

interface Arranged {
  /** @default the importing account */
  readonly owner?: string;
  readonly account?: string;
  readonly target: Pick<RouteTarget, 'groupId' | 'folderId'>;
}

/**
 * The desired placement of a created item: that of its row on the source, but in the target's group and with an owner
 * from the target. Parts missing from the row, and a folder named by the route, stay as the import leaves them. Only the
 * folder's title is known until the owner's folders have been read.
 */
export function arrangedPlacement(
  { placement: before }: Pick<SnapshotRow, 'placement'>,
  { owner, account, target }: Arranged,
): Placement {
  const { folder, folderTitle, access, protected: isProtected, thumbnail } = before ?? {};
  const isRoutes = target.folderId !== undefined && (owner === undefined || isSameUser(owner, account));
  const isRoot = folder === ROOT_FOLDER;
  return {
    owner: owner ?? account,
    folder: isRoot && !isRoutes ? ROOT_FOLDER : undefined,
    folderTitle: isRoot || isRoutes ? undefined : folderTitle,
    access,
    groups: [target.groupId],
    protected: isProtected,
    thumbnail,
  };
}
