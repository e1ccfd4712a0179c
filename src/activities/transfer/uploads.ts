import { type PortalFacts, requireUser } from '../../domain/transfer/portal-facts';
import { PACKAGE_READABLE_MS } from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import {
  addPackageItem,
  addPart,
  commit,
  listParts,
  readItemStatus,
  startMultipart,
  type PackageItem,
} from '../../portal/resources/items/add-item';
import { knownError } from '../../portal/known-errors';
import { findItem } from '../../portal/resources/items/items';
import { goesInParts, PARTS_AT_A_TIME, partsOf } from '../../portal/resources/items/upload';
import type { Portal } from '../../portal/client';
import type { ActivityDeps } from '../deps';
import { hashOf, openPackage } from './packages';
import { notYet } from '../attempt/failure';
import {
  attempt,
  isRepeat,
  lastProgress,
  progress,
  stopSignal,
  unattendedMs,
  activityTime,
} from '../attempt/heartbeat';
import { TransferWatch } from '../attempt/transfer-watch';
import {
  OUR_TAG,
  packageItemId,
  packagesOf,
  removeItem,
  uploadName,
} from '../../domain/transfer/own-packages';
import { fileRunId } from '../../model/run/run-id';

interface OfRun {
  readonly runId: string;
  readonly portal: PortalFacts;
  /** Index of the package, from 0. */
  readonly packageIndex: number;
}

export interface UploadPackage extends OfRun {
  /** Store key of the package. */
  readonly key: string;
  /** Its expected hash. */
  readonly sha256: string;
  /** The run has tried before, so it looks for its item first. @default false */
  readonly again?: boolean;
}

interface UploadParts extends UploadPackage {
  readonly itemId: string;
  /** Parts the portal has that may differ. @default none */
  readonly differing?: readonly number[];
}

interface AwaitPackages {
  readonly portal: PortalFacts;
  readonly itemIds: readonly string[];
}

export interface AddedPackage {
  readonly itemId: string;
  /** Whether the file must still be uploaded in parts. */
  readonly inParts: boolean;
}

/**
 * Creates the package item on the target: with its file if small, otherwise ready for parts. Its ID is derived from the
 * run, so that it is found again if the response is lost. Throws HASH_MISMATCH if the stored file has changed,
 * because anyone with write access to the store could replace it.
 */
export async function addPackage(
  { authority, portals, store }: ActivityDeps,
  input: UploadPackage,
): Promise<AddedPackage> {
  // Portolan's own package needs no approval: that comes with the plan.
  await authority.require(input.runId, { target: { portal: input.portal.name }, isOwnPackage: true });
  const portal = portals.open(input.portal.name);
  const file = await openPackage(store, input.key);
  if ((await hashOf(file)) !== input.sha256)
    throw new PortolanError(
      'HASH_MISMATCH',
      `${input.key} in the store at ${store.where} is no longer the package this run downloaded`,
      { hint: 'Check who can write to the store, and check its disk. Then start the run again.' },
    );
  const inParts = goesInParts(file.size);
  const fields = packageFields(input);
  const made = isRepeat() || input.again ? await findMade(portal, fields, input) : undefined;
  if (made) return { itemId: made, inParts };
  if (inParts) return { itemId: (await startMultipart(portal, fields)).id, inParts };
  return await TransferWatch.over(`upload to ${portal.name}`, portal.name, async (watch) => {
    const onProgress = (sent: number): void => watch.bytes(sent, file.size);
    const { id: itemId } = await addPackageItem(portal, { ...fields, file, onProgress });
    return { itemId, inParts };
  });
}

/**
 * Uploads the parts that the portal lacks or that may differ, several at a time, and joins them. A repeat may find
 * them already joined.
 */
export async function uploadParts(
  { portals, store }: ActivityDeps,
  input: UploadParts,
): Promise<{ parts: number; sent: number }> {
  const portal = portals.open(input.portal.name);
  const item = { username: requireUser(input.portal), itemId: input.itemId };
  const file = await openPackage(store, input.key);
  // An earlier attempt may have joined the parts: then the item accepts no more.
  const status = isRepeat() || input.again ? await readItemStatus(portal, item).catch(absentIf) : undefined;
  if (status && status.phase !== 'partial') return { parts: partsOf(file.size).length, sent: 0 };
  const sent = await TransferWatch.over(`upload to ${portal.name}`, portal.name, async (watch) => {
    const parts = partsOf(file.size);
    const there = new Set(await listParts(portal, item));
    for (const partNum of input.differing ?? []) there.delete(partNum);
    const missing = parts.filter((part) => !there.has(part.partNum));
    const held = parts.filter((part) => there.has(part.partNum));
    let bytes = held.reduce((sum, part) => sum + part.end - part.start, 0);
    let count = held.length;
    watch.bytes(bytes, file.size, count);
    await mapLimited(missing, PARTS_AT_A_TIME, async (part) => {
      stopSignal().throwIfAborted();
      let moved = 0;
      const onProgress = (sent: number): void => {
        watch.moves(Math.max(0, sent - moved));
        moved = sent;
      };
      await addPart(portal, { ...item, ...part, file, onProgress });
      bytes += part.end - part.start;
      count += 1;
      watch.bytes(bytes, file.size, count);
    });
    return { parts: parts.length, sent: missing.length };
  });
  await commit(portal, { ...packageFields(input), itemId: input.itemId });
  return sent;
}

/** Waits until the packages are readable on the target, which takes a while after the upload. */
export async function awaitPackages(
  { portals }: ActivityDeps,
  { portal: facts, itemIds }: AwaitPackages,
): Promise<void> {
  // Excludes time without a worker, when nobody could look.
  const since = (lastProgress<{ since: number }>().since ?? activityTime()) + unattendedMs();
  progress({ since });
  const username = requireUser(facts);
  for (const itemId of itemIds) await requireReadable(portals.open(facts.name), { username, itemId }, since);
}

/** Throws "not yet" if a package is not readable yet, and the portal's error if it never will be. */
async function requireReadable(
  portal: Portal,
  item: { readonly username: string; readonly itemId: string },
  since: number,
): Promise<void> {
  // A portal without the status resource shows the item once it is ready.
  const status = await readItemStatus(portal, item).catch(absentIf);
  const { phase, statusMessage } = status ?? {};
  if (phase === 'failed') {
    const known = knownError({ words: statusMessage ?? '' });
    throw new PortolanError(known?.code ?? 'BAD_REQUEST', `${portal.name} could not accept the package`, {
      portal: portal.name,
      portalWords: statusMessage && portal.excerpt(statusMessage),
      hint: known?.hint,
    });
  }
  const joining = phase === 'processing' || phase === 'partial';
  if (!joining && (await findItem(portal, item.itemId))) return;
  if (activityTime() - since > PACKAGE_READABLE_MS) {
    throw new PortolanError(
      'ITEM_NOT_FOUND',
      `the uploaded package ${item.itemId} cannot be read on ${portal.name}`,
      { portal: portal.name },
    );
  }
  throw notYet('the uploaded package is not readable yet', Math.min(5_000, 250 * attempt()));
}

/** Fields of the package item a run creates on its target. */
export const packageFields = ({ runId, portal, packageIndex }: OfRun): PackageItem => ({
  username: requireUser(portal),
  title: uploadName(runId, packageIndex),
  tags: [OUR_TAG, 'epk', runId],
  filename: `${fileRunId(runId)}.epk`,
  itemIdToCreate: packageItemId(runId, packageIndex),
  version: portal.release,
});

/**
 * Finds what an earlier attempt created before its response was lost: an item with the requested ID, which may not be
 * readable until its parts arrive, or one with its title. Deletes an item whose parts the portal could not join,
 * because it accepts no others.
 */
export async function findMade(
  portal: Portal,
  fields: PackageItem,
  { runId, portal: facts, packageIndex }: OfRun,
): Promise<string | undefined> {
  const itemId = packageItemId(runId, packageIndex);
  if (await findItem(portal, itemId)) return itemId;
  const partial = { username: fields.username, itemId };
  const status = await readItemStatus(portal, partial).catch(absentIf);
  if (status && status.phase !== 'failed') return itemId;
  if (status) {
    const removal = { owner: fields.username, itemId, permanent: facts.recycleBin };
    await removeItem(portal, removal);
  }
  const made = await packagesOf(portal, fields.username);
  return made.find(({ item }) => item.title === fields.title)?.id;
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
function absentIf(thrown: unknown): undefined {
  if (unknownResource.has(PortolanError.from(thrown).code)) return undefined;
  throw thrown;
}
