import { hashOfText } from '../snapshot/hashing';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { fileRunId, runIdOfFile } from '../../model/run/run-id';
import type { Portal } from '../../portal/client';
import { deleteItem, findItem, type ItemRemoval } from '../../portal/resources/items/items';
import { updateItem } from '../../portal/resources/items/update-item';
import { type Item, PACKAGE_TYPE } from '../../portal/resources/items/item';
import { userContentPages } from '../../portal/resources/listings';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import type { CallOptions } from '../../portal/http/request';
import { ofPart } from '../../store/keys';
import { readPortalFacts, requireUser } from './portal-facts';

/** Tag of every package item Portolan creates or adopts, along with the run ID, if the portal allows it. */
export const OUR_TAG = 'portolan';

/**
 * Title and file name of an exported package, on portals that accept them (from 11.3). A run whose plan changed
 * takes a second safeguard.
 */
export const exportName = (
  runId: string,
  purpose: 'export' | 'safeguard',
  round: number,
  packageIndex: number,
): string => `portolan-${purpose}${round > 1 ? round : ''}${ofPart(packageIndex)}-${fileRunId(runId)}`;

/** Title of an uploaded package. */
export const uploadName = (runId: string, packageIndex: number): string =>
  `portolan${ofPart(packageIndex)}-${fileRunId(runId)}`;

/** The id that a run asks for when it adds a package: 32 hexadecimal digits, the shape of an item id. */
export const packageItemId = (runId: string, packageIndex: number): string =>
  hashOfText(`${runId}/package${ofPart(packageIndex)}`).slice(0, 32);

/** Whether a run created a package: it has the run ID as a tag or in its title. */
export const isOfRun = (item: Item, runId: string): boolean =>
  item.tags?.includes(runId) === true || hasName(item.title ?? '', fileRunId(runId));

/** Whether a title contains the name of a run, and not only the beginning of another one's: `k7q2_100` of `k7q2_1000`. */
export const hasName = (title: string, name: string): boolean =>
  title
    .split(name)
    .slice(1)
    .some((rest) => !/^_?\d/.test(rest));

/** Ends in random letters or in the time at which a schedule was due; behind that, a child run has its number. */
const runId = '[a-z]+-.+-(?:[a-z0-9]+|\\d{4}-\\d\\d-\\d\\dT\\d\\d:?\\d\\d:?\\d\\dZ)(?:_\\d{3,})*';
const named = new RegExp(`^portolan-(?:(?:export|safeguard)\\d*-)?p\\d+-(${runId})(?:\\.epk)?$`);
const runTag = new RegExp(`^${runId}$`);

/** Whether Portolan created a package, by tag or name. */
export const isCreatedByPortolan = (item: Item): boolean =>
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
  const update = { owner, itemId, fields: { tags: [OUR_TAG, runId] } };
  try {
    await updateItem(portal, update, options);
  } catch (thrown) {
    const placed = (await packagesOf(portal, owner, options)).find(({ id }) => id === itemId);
    if (!placed?.folderId) throw thrown;
    await updateItem(portal, { ...update, folderId: placed.folderId }, options);
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
  const placed = (await packagesOf(portal, requireUser(facts))).filter(({ item }) =>
    isCreatedByPortolan(item),
  );
  return await mapLimited(placed, REQUESTS_AT_A_TIME, async ({ item, folderId }): Promise<Leftover> => {
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
  const owner = requireUser(facts);
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
