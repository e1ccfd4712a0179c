import { z } from 'zod';
import type { SnapshotManifest } from '../../model/snapshot/snapshot';
import { keys } from '../../store/keys';
import type { Store, StoredFile } from '../../store/store';
import { hashOfFile } from './hashing';
import { snapshotKeys } from './snapshot-keys';
import { whyUnreadable } from './unreadable';

export type NamedPackage = NonNullable<SnapshotManifest['package']>;

/** What is written before a package is stored, so that nobody who tidies meanwhile takes it for an orphan. */
export const packageClaim = z.object({ sha256: z.string() });

/**
 * Takes a package to where packages lie by their content, once for the same bytes. A stored file that is no longer
 * what its name says is replaced.
 *
 * Whoever removes a package marks it, and then looks for claims; here the claim is written, and then the marks are
 * looked for. So of two who do that at once at least one sees the other, and then the package comes to lie apart.
 */
export async function keepPackage(store: Store, id: string, given: NamedPackage): Promise<NamedPackage> {
  const { sha256, sizeBytes } = given;
  await store.writeJson(snapshotKeys.claim(id), { sha256 });
  const shared = keys.storedPackage(sha256);
  const own = snapshotKeys.ownPackage(sha256, id);
  // An earlier attempt may have taken it there.
  if (await store.openFile(own)) return { ...given, key: own };
  const key = (await isGoing(store, sha256)) ? own : shared;
  const there = key === shared ? await store.openFile(key) : undefined;
  const isThere = there?.size === sizeBytes && (await hashIfReadable(there)) === sha256;
  if (!isThere) await store.move(given.key, key);
  else if (given.key !== key) await store.remove(given.key);
  return { ...given, key };
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
