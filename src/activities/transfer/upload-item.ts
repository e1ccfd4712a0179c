import {
  isFurther,
  isOfRun,
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
import type { Item } from '../../portal/resources/items/item';
import { findItem } from '../../portal/resources/items/items';
import { requireUser } from './exports';

interface OfRun {
  readonly runId: string;
  readonly portal: PortalFacts;
  /** Index of the run's package. @default 0 */
  readonly part?: number;
}

/** Fields of the package item a run creates on its target. */
export const packageFields = ({ runId, portal, part }: OfRun): PackageItem => ({
  username: requireUser(portal),
  title: uploadName(runId, part),
  tags: [OUR_TAG, 'epk', runId],
  filename: `${fileRunId(runId)}.epk`,
  itemIdToCreate: packageItemId(runId, part),
  version: portal.release,
});

/**
 * Finds what an earlier attempt created before its response was lost: an item with the requested ID, which may not be
 * readable until its parts arrive, or one with the run's tag. Deletes an item whose parts the portal could not join,
 * because it accepts no others.
 */
export async function findMade(
  portal: Portal,
  fields: PackageItem,
  { runId, portal: facts, part = 0 }: OfRun,
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
  // Several packages of a run are distinguished by title.
  const isMade = (item: Item): boolean =>
    part === 0 ? isOfRun(item, runId) && !isFurther(item, runId) : item.title === fields.title;
  return (await packagesOf(portal, fields.username, { signal })).find(({ item }) => isMade(item))?.id;
}

/** Responses of portals without this resource. */
const unknownResource: ReadonlySet<string> = new Set([
  'ITEM_NOT_FOUND',
  'NOT_FOUND',
  'NOT_SUPPORTED',
  'BAD_REQUEST',
  'BAD_RESPONSE',
  'HTML_RESPONSE',
]);

/** Undefined if the portal lacks the resource; otherwise throws. */
export function absentIf(thrown: unknown): undefined {
  if (unknownResource.has(PortolanError.from(thrown).code)) return undefined;
  throw thrown;
}
