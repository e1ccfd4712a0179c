import { isOurs, packagesOf, removeItem, runOfPackage } from './own-packages';
import { type PortalFacts, readPortalFacts } from './portal-facts';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { runIdOfFile } from '../../model/run/run-id';
import type { Portal } from '../../portal/client';

const LOOKS_AT_A_TIME = 4;

/** A package created by Portolan on a portal. */
export interface Leftover {
  readonly portal: string;
  readonly itemId: string;
  /** Absent in the root folder. */
  readonly folderId?: string;
  readonly title: string;
  readonly size?: number;
  /** Milliseconds since the epoch. */
  readonly created?: number;
  /** The run that created it, if a tag or the title says so. */
  readonly runId?: string;
  /** Open runs need their packages; those of other task queues are left alone. */
  readonly state: 'in use' | 'left over' | 'of others';
  readonly removed: boolean;
}

/**
 * Packages created by Portolan among the account's items, in root and folders.
 * @param stateOf how the package of a run stands
 */
export async function findLeftovers(
  portal: Portal,
  stateOf: (runId: string) => Promise<Leftover['state']>,
): Promise<Leftover[]> {
  const facts = await readPortalFacts(portal);
  const placed = (await packagesOf(portal, userOf(facts))).filter(({ item }) => isOurs(item));
  return await mapLimited(placed, LOOKS_AT_A_TIME, async ({ item, folderId }): Promise<Leftover> => {
    const name = runOfPackage(item);
    const runId = name === undefined ? undefined : runIdOfFile(name);
    return {
      portal: portal.name,
      itemId: item.id,
      folderId,
      title: item.title ?? item.id,
      size: item.size,
      created: item.created,
      runId,
      state: runId === undefined ? 'left over' : await stateOf(runId),
      removed: false,
    };
  });
}

/** Deletes leftover packages, bypassing the recycle bin; `onFailure` is called for failures. */
export async function removeLeftovers(
  portal: Portal,
  leftovers: readonly Leftover[],
  onFailure: (thrown: unknown) => void,
): Promise<Leftover[]> {
  const facts = await readPortalFacts(portal);
  const owner = userOf(facts);
  const done: Leftover[] = [];
  for (const leftover of leftovers) {
    const { itemId, folderId } = leftover;
    let removed = false;
    try {
      if (leftover.state === 'left over') {
        await removeItem(portal, { owner, itemId, folderId, permanent: facts.recycleBin });
        removed = true;
      }
    } catch (thrown) {
      onFailure(thrown);
    }
    done.push({ ...leftover, removed });
  }
  return done;
}

function userOf({ name, username }: PortalFacts): string {
  if (username !== undefined) return username;
  throw new PortolanError(
    'NO_USER',
    `The credentials for ${name} have no user, so none of its items were created by Portolan.`,
    { portal: name },
  );
}
