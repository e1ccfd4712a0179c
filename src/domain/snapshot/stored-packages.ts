import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { NamedPackage } from '../../model/snapshot/snapshot';
import { keys } from '../../store/keys';
import type { Store, StoredFile } from '../../store/store';
import { forgetDamage, isKnownDamaged } from './damaged-packages';
import { hashOfFile } from './hashing';
import { snapshotKeys } from './snapshot-keys';
import { whyUnreadable } from './unreadable';

/** What is written before packages are stored, so that nobody who tidies meanwhile takes them for orphans. */
export const packageClaim = z.object({ sha256: z.string(), more: z.array(z.string()).optional() });

/** The sha256 of each package that is claimed. */
export const hashesIn = ({ sha256, more = [] }: z.infer<typeof packageClaim>): string[] => [sha256, ...more];

/**
 * Takes the packages of a snapshot to where packages lie by their content, once for the same bytes. A stored file that
 * is no longer what its name says is replaced. Those that lie there already stay as they are, and are not read.
 *
 * Whoever removes a package marks it, and then looks for claims; here the claim is written, and then the marks are
 * looked for. So of two who do that at once at least one sees the other, and then the package comes to lie apart.
 * A package that is not ours to lay apart was claimed, and looked at, before anything was built on it.
 */
export async function keepPackages(
  store: Store,
  id: string,
  given: readonly NamedPackage[],
): Promise<NamedPackage[]> {
  const before = await claimed(store, id);
  await claim(store, id, given);
  const kept: NamedPackage[] = [];
  for (const each of given)
    kept.push(isStored(each) ? await requireStored(store, each, before) : await keepPackage(store, id, each));
  return kept;
}

/** Claims packages of other snapshots. @returns those that can be counted on */
export async function claimPackages(
  store: Store,
  id: string,
  given: readonly NamedPackage[],
): Promise<NamedPackage[]> {
  await claim(store, id, given);
  const sound: NamedPackage[] = [];
  for (const each of given) {
    const isLeft = isStored(each) && !(await isGoing(store, each.sha256)) && (await isThere(store, each));
    if (isLeft && !(await isKnownDamaged(store, each.key))) sound.push(each);
  }
  return sound;
}

/** Whether a package lies where its manifest says, as far as its length tells. */
export const isThere = async (store: Store, { key, sizeBytes }: NamedPackage): Promise<boolean> =>
  (await store.openFile(key))?.size === sizeBytes;

async function keepPackage(store: Store, id: string, given: NamedPackage): Promise<NamedPackage> {
  const { sha256, sizeBytes } = given;
  const shared = keys.storedPackage(sha256);
  const own = snapshotKeys.ownPackage(sha256, id);
  // An earlier attempt may have taken it there.
  if (await store.openFile(own)) return { ...given, key: own };
  const key = (await isGoing(store, sha256)) ? own : shared;
  const there = key === shared ? await store.openFile(key) : undefined;
  const isWhole = there?.size === sizeBytes && (await hashIfReadable(there)) === sha256;
  if (!isWhole) await store.move(given.key, key);
  else if (given.key !== key) await store.remove(given.key);
  await forgetDamage(store, key);
  return { ...given, key };
}

async function requireStored(
  store: Store,
  each: NamedPackage,
  before: ReadonlySet<string>,
): Promise<NamedPackage> {
  if (!before.has(each.sha256))
    throw new PortolanError('INTERNAL', `${each.key} is needed, but no snapshot has claimed it`);
  if (await isThere(store, each)) return each;
  throw new PortolanError(
    'PACKAGE_MISSING',
    `${each.key}, needed from the parent snapshot, is missing from the store at ${store.where}`,
  );
}

const isStored = ({ key }: NamedPackage): boolean => snapshotKeys.hashInKey(key) !== undefined;

async function claim(store: Store, id: string, given: readonly NamedPackage[]): Promise<void> {
  const [sha256, ...more] = new Set(given.map((each) => each.sha256));
  if (sha256 === undefined) return;
  await store.writeJson(snapshotKeys.claim(id), more.length > 0 ? { sha256, more } : { sha256 });
}

async function claimed(store: Store, id: string): Promise<ReadonlySet<string>> {
  const found = await store.readJson(snapshotKeys.claim(id), packageClaim);
  return new Set(found && hashesIn(found));
}

/** Undefined where the store itself says that it is not what was stored. */
const hashIfReadable = (file: StoredFile): Promise<string | undefined> =>
  hashOfFile(file).catch((thrown: unknown) => {
    whyUnreadable('', thrown);
    return undefined;
  });

async function isGoing(store: Store, sha256: string): Promise<boolean> {
  for await (const _ of store.list(snapshotKeys.goingPackage(sha256))) return true;
  return false;
}
