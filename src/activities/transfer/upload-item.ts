import {
  OUR_TAG,
  packageItemId,
  packagesOf,
  removeItem,
  uploadName,
} from '../../domain/transfer/own-packages';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import { fileRunId } from '../../model/run/run-id';
import type { Portal } from '../../portal/client';
import { type PackageItem, readItemStatus } from '../../portal/resources/items/add-item';
import { findItem } from '../../portal/resources/items/items';
import { requireUser } from './exports';

interface OfRun {
  readonly runId: string;
  readonly portal: PortalFacts;
  /** Number of the package, from 0. */
  readonly part: number;
}

/** What is said of the package that a run adds to its target. */
export const packageFields = ({ runId, portal, part }: OfRun): PackageItem => ({
  username: requireUser(portal),
  title: uploadName(runId, part),
  tags: [OUR_TAG, 'epk', runId],
  filename: `${fileRunId(runId)}.epk`,
  itemIdToCreate: packageItemId(runId, part),
  version: portal.release,
});

/**
 * What an earlier attempt made before its answer was lost: an item under the id it asked for, which may not be
 * listed or readable before its parts have come, or one with its title. One whose parts the portal could not join
 * takes no others and is removed.
 */
export async function findMade(
  portal: Portal,
  fields: PackageItem,
  { runId, portal: facts, part }: OfRun,
  signal: AbortSignal,
): Promise<string | undefined> {
  const itemId = packageItemId(runId, part);
  if (await findItem(portal, itemId, { signal })) return itemId;
  const partial = { username: fields.username, itemId };
  const status = await readItemStatus(portal, partial, { signal }).catch(absentIf);
  if (status && status.phase !== 'failed') return itemId;
  if (status) {
    const removal = { owner: fields.username, itemId, permanent: facts.recycleBin };
    await removeItem(portal, removal, { signal });
  }
  const made = await packagesOf(portal, fields.username, { signal });
  return made.find(({ item }) => item.title === fields.title)?.id;
}

/** Answers of a portal that does not know the resource, in whichever way it says so. */
const unknownResource: ReadonlySet<string> = new Set([
  'ITEM_NOT_FOUND',
  'NOT_FOUND',
  'NOT_SUPPORTED',
  'BAD_REQUEST',
  'BAD_RESPONSE',
  'HTML_RESPONSE',
]);

/** Undefined where the portal does not know the resource; else throws. */
export function absentIf(thrown: unknown): undefined {
  if (unknownResource.has(PortolanError.from(thrown).code)) return undefined;
  throw thrown;
}
