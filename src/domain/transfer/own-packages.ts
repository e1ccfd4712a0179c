import { createHash } from 'node:crypto';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { fileRunId } from '../../model/run/run-id';
import type { Portal } from '../../portal/client';
import { deleteItem, findItem, type ItemRemoval, updateItemTags } from '../../portal/resources/items/items';
import { type Item, PACKAGE_TYPE } from '../../portal/resources/items/item';
import { userContentPages } from '../../portal/resources/listings';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import type { CallOptions } from '../../portal/http/request';
import { ofPart } from '../../store/keys';

/** Tag of every package item Portolan creates or adopts, along with the run ID, if the portal allows it. */
export const OUR_TAG = 'portolan';

/**
 * Title and file name of an exported package, on portals that accept them (from 11.3). A run whose plan changed
 * takes a second safeguard.
 */
export const exportName = (runId: string, purpose: 'export' | 'safeguard', round = 1, part = 0): string =>
  `portolan-${purpose}${round > 1 ? round : ''}${ofPart(part)}-${fileRunId(runId)}`;

/** Title of an uploaded package. */
export const uploadName = (runId: string, part = 0): string => `portolan${ofPart(part)}-${fileRunId(runId)}`;

/** The id that a run asks for when it adds a package: 32 hexadecimal digits, the shape of an item id. */
export const packageItemId = (runId: string, part = 0): string =>
  createHash('sha256')
    .update(`${runId}/package${ofPart(part)}`)
    .digest('hex')
    .slice(0, 32);

/** Whether a run created a package: it has the run ID as a tag or in its title. */
export const isOfRun = (item: Item, runId: string): boolean =>
  item.tags?.includes(runId) === true || hasName(item.title ?? '', fileRunId(runId));

/** Whether a title contains the name of a run, and not only the beginning of another one's: `k7q2_100` of `k7q2_1000`. */
export const hasName = (title: string, name: string): boolean =>
  title
    .split(name)
    .slice(1)
    .some((rest) => !/^_?\d/.test(rest));

/** Whether it is a further package of a run, not the first. */
export const isFurther = (item: Item, runId: string): boolean =>
  /^portolan-p\d+-/.test(item.title ?? '') && isOfRun(item, runId);

/** Ends in random letters or in the time at which a schedule was due; behind that, a child run has its number. */
const runId = '[a-z]+-.+-(?:[a-z0-9]+|\\d{4}-\\d\\d-\\d\\dT\\d\\d:?\\d\\d:?\\d\\dZ)(?:_\\d{3,})*';
const named = new RegExp(`^portolan-(?:(?:export|safeguard)\\d*-)?(?:p\\d+-)?(${runId})(?:\\.epk)?$`);
const runTag = new RegExp(`^${runId}$`);

/** Whether Portolan created a package, by tag or name. */
export const isOurs = (item: Item): boolean =>
  item.tags?.includes(OUR_TAG) === true || named.test(item.title ?? '');

/** The run that made a package of ours, where a tag or its name tells; a name tells it without colons. */
export const runOfPackage = (item: Item): string | undefined =>
  (item.tags?.includes(OUR_TAG) ? item.tags.find((tag) => runTag.test(tag)) : undefined) ??
  named.exec(item.title ?? '')?.[1];

/** A package item, and the folder in which its owner has it. */
export interface OwnPackage {
  readonly id: string;
  readonly item: Item;
  /** Absent in the root folder. */
  readonly folderId?: string;
}

/**
 * Package items of an account, in its root folder and in all others: a portal may put what an export makes where
 * it likes.
 * @param where an account that imports into many groups has as many folders: to look at its root alone is one request
 */
export async function packagesOf(
  portal: Portal,
  username: string,
  options?: CallOptions,
  where: 'everywhere' | 'root' = 'everywhere',
): Promise<OwnPackage[]> {
  const folders = new Set<string>();
  const lookInto = async (folderId?: string): Promise<OwnPackage[]> => {
    const found: OwnPackage[] = [];
    for await (const page of userContentPages(portal, username, { folderId }, options)) {
      const packages = page.items.filter((item) => item.type === PACKAGE_TYPE);
      found.push(...packages.map((item) => ({ id: item.id, item, folderId })));
      if (folderId === undefined) for (const { id } of page.folders) folders.add(id);
    }
    return found;
  };
  const inRoot = await lookInto();
  if (where === 'root') return inRoot;
  const inFolders = await mapLimited([...folders], REQUESTS_AT_A_TIME, (folderId) => lookInto(folderId));
  return [...inRoot, ...inFolders.flat()];
}

/** Tags a package with its run. Some portals accept item calls only under the item's folder. */
export async function tagPackage(
  portal: Portal,
  { owner, itemId, runId }: { owner: string; itemId: string; runId: string },
  options?: CallOptions,
): Promise<void> {
  const fields = { owner, itemId, tags: [OUR_TAG, runId] };
  try {
    await updateItemTags(portal, fields, options);
  } catch (thrown) {
    const placed = (await packagesOf(portal, owner, options)).find(({ id }) => id === itemId);
    if (!placed?.folderId) throw thrown;
    await updateItemTags(portal, { ...fields, folderId: placed.folderId }, options);
  }
}

/**
 * Deletes a package, bypassing the recycle bin. Some portals accept item calls only under the item's folder and
 * otherwise respond as if it did not exist: it is gone once it cannot be read.
 */
export async function removeItem(
  portal: Portal,
  { folderId, ...removal }: ItemRemoval,
  options?: CallOptions,
): Promise<'deleted' | 'absent'> {
  const { itemId } = removal;
  const end = await deleteItem(portal, removal, options);
  if (end === 'deleted' || !(await findItem(portal, itemId, options))) return end;
  if (folderId && (await deleteItem(portal, { ...removal, folderId }, options)) === 'deleted')
    return 'deleted';
  throw new PortolanError('BAD_REQUEST', `${portal.name} did not delete ${itemId}`, {
    portal: portal.name,
  });
}
