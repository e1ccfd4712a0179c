import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { NamedPackage } from '../../model/snapshot/snapshot';
import { keys, snapshotKeys } from '../../store/keys';
import type { Store } from '../../store/store';
import { whyUnreadable } from './unreadable';

/** Packages and items' JSON in other folders that a snapshot names, or may name once it is committed. */
const packageClaim = z.object({ packages: z.array(z.string()) });

/** That a package is not what was stored, so nothing new is built on it. */
const damageNote = z.object({ at: z.iso.datetime(), problem: z.string() });

/** The snapshots of a store, as far as they are looked for. */
interface Findable {
  readonly store: Store;
  find(id: string): Promise<unknown>;
}

/** A package, and the snapshot through which it was found. */
export interface FoundPackage {
  readonly of: string;
  readonly package: NamedPackage;
}

/**
 * Claims packages of earlier snapshots for a new one. Returns those that it can count on.
 *
 * This needs no lock. Here the claim is written and then the manifest of the earlier snapshot is read. `forget` removes
 * the manifest and then reads the claims, so one of the two sees the other. A claim stays as long as its manifest, so a
 * `forget` that read the manifests before sees each snapshot committed since.
 */
export async function claimPackages(
  snapshots: Findable,
  id: string,
  found: readonly FoundPackage[],
): Promise<NamedPackage[]> {
  const claim = { packages: found.map((each) => each.package.key) };
  await snapshots.store.writeJson(snapshotKeys.claim(id), claim);
  const there = new Set<string>();
  for (const of of new Set(found.map((each) => each.of))) if (await snapshots.find(of)) there.add(of);
  return found.flatMap((each) => (there.has(each.of) ? [each.package] : []));
}

/** Keys of the packages that a snapshot has claimed. */
export async function claimedBy(store: Store, id: string): Promise<ReadonlySet<string>> {
  return new Set((await store.readJson(snapshotKeys.claim(id), packageClaim))?.packages);
}

/** Requires the packages that a manifest is about to name, and reduces its claim to them. Throws PACKAGE_MISSING. */
export async function requirePackages(
  store: Store,
  id: string,
  packages: readonly NamedPackage[],
): Promise<void> {
  const claimed = await claimedBy(store, id);
  const others = packages.map(({ key }) => key).filter((key) => !key.startsWith(keys.snapshot(id)));
  const unclaimed = others.find((key) => !claimed.has(key));
  if (unclaimed !== undefined)
    throw new PortolanError('INTERNAL', `${unclaimed} is needed, but no snapshot has claimed it`);
  for (const each of packages) {
    if (!(await isThere(store, each)))
      throw new PortolanError(
        'PACKAGE_MISSING',
        `${each.key}, needed for snapshot ${id}, is missing from the store at ${store.where}, or truncated`,
      );
  }
  if (others.length < claimed.size) await store.writeJson(snapshotKeys.claim(id), { packages: others });
}

/** Whether a package is in the store with its full length. */
export const isThere = async (store: Store, { key, sizeBytes }: NamedPackage): Promise<boolean> =>
  (await store.openFile(key))?.size === sizeBytes;

/** Keys of the packages, and of the files with items' JSON, in a snapshot's folder. @param names of all directly in it */
export const sharedInFolder = (id: string, names: ReadonlySet<string>): string[] =>
  [...names]
    .filter((name) => /^(?:package-\d+\.epk|contents-[0-9a-f]{64}\.br)$/.test(name))
    .map((name) => keys.snapshot(id) + name);

/** Best effort: the note is for the next backup, and a reader may have no right to write. */
export async function noteDamage(store: Store, key: string, problem: string): Promise<void> {
  const note = { at: new Date().toISOString(), problem };
  await store.writeJson(snapshotKeys.damage(key), note).catch(() => undefined);
}

/** Drops the note of a package that was read and found whole. */
export async function forgetDamage(store: Store, key: string): Promise<void> {
  if (await isKnownDamaged(store, key)) await store.remove(snapshotKeys.damage(key)).catch(() => undefined);
}

/** An unreadable note counts too: exporting items once more than needed does no harm. */
export const isKnownDamaged = async (store: Store, key: string): Promise<boolean> =>
  await store.readJson(snapshotKeys.damage(key), damageNote).then(
    (note) => note !== undefined,
    (thrown: unknown) => whyUnreadable(key, thrown) !== undefined,
  );

/** Why nothing can be built on a package, as far as that is known without reading it. */
export async function whyUnsound(store: Store, each: NamedPackage): Promise<string | undefined> {
  if (!(await isThere(store, each))) return 'is missing or truncated';
  return (await isKnownDamaged(store, each.key)) ? 'is damaged' : undefined;
}
