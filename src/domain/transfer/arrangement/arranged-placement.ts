import type { SnapshotRow } from '../../../model/snapshot/snapshot';
import { type Placement, ROOT_FOLDER } from '../../../model/transfer/placement';
import type { RouteTarget } from '../../../model/transfer/route';
import { isSameUser } from '../../../model/text/same-user';

interface Arranged {
  /** Who is to own it; undefined leaves it with the account that imported. */
  readonly owner?: string;
  readonly account?: string;
  readonly target: Pick<RouteTarget, 'groupId' | 'folderId'>;
}

/**
 * How a created item is to stand: as its row says that it stood on the source, but in the target's own group, and with
 * an owner of the target's. What the row does not tell stays as the import leaves it, and so does the folder that a
 * route names. Of a folder only the title is known until it is found, or made, among those of the owner.
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
