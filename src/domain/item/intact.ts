import { PortolanError } from '../../model/errors/errors';
import { type NamedPackage, packageOf } from '../../model/snapshot/snapshot';
import { shellWord, timeWords } from '../../model/text/words';
import { hashOfFile } from '../snapshot/hashing';
import { noteDamage, whyUnsound } from '../snapshot/packages';
import type { Snapshots } from '../snapshot/snapshots';
import { whyUnreadable } from '../snapshot/unreadable';
import type { Holding } from './held-items';

/** A longer package is read by the run itself, because nobody waits that long for a start. @format bytes */
const READ_MAX = 512 * 1024 ** 2;

/**
 * Requires that an item can be restored from a snapshot: it was saved, and its package is what was stored. Throws
 * SNAPSHOT_INCOMPLETE and SNAPSHOT_ALTERED, which name the next older version that is intact.
 *
 * @param findHoldings all backups that hold the item, newest first; asked only if this one cannot be used
 */
export async function requireIntact(
  snapshots: Snapshots,
  holding: Holding,
  findHoldings: () => Promise<readonly Holding[]>,
): Promise<void> {
  const { manifest, row } = holding;
  const known = new Map<string, Promise<string | undefined>>();
  const why = await whyNot(snapshots, holding, known);
  if (why === undefined) return;
  const code = row.saved === 'no' ? 'SNAPSHOT_INCOMPLETE' : 'SNAPSHOT_ALTERED';
  const hint = await intactHint(snapshots, holding, await findHoldings(), known);
  throw new PortolanError(code, `${row.itemId} cannot be restored from snapshot ${manifest.id}: ${why}`, {
    hint,
  });
}

async function intactHint(
  snapshots: Snapshots,
  { manifest: { takenAt }, row: { itemId } }: Holding,
  holdings: readonly Holding[],
  known: Map<string, Promise<string | undefined>>,
): Promise<string> {
  const older = holdings.filter(({ manifest }) => manifest.takenAt < takenAt);
  const newer = holdings.filter(({ manifest }) => manifest.takenAt > takenAt).toReversed();
  for (const [which, candidates] of [
    ['older', older],
    ['newer', newer],
  ] as const)
    for (const candidate of candidates) {
      if ((await whyNot(snapshots, candidate, known)) !== undefined) continue;
      const { id, takenAt: at } = candidate.manifest;
      return `The next ${which} intact version is of ${timeWords(at)}: portolan item restore ${shellWord(itemId)} --at ${id}`;
    }
  return `No other backup has it intact. See its versions: portolan item history ${shellWord(itemId)}`;
}

async function whyNot(
  { store }: Snapshots,
  { manifest, row }: Holding,
  known: Map<string, Promise<string | undefined>>,
): Promise<string | undefined> {
  if (row.saved === 'no') return row.reason ?? 'it was not saved';
  const named = packageOf(manifest, row);
  // A copy is checked file by file when it is restored.
  if (!named) return undefined;
  const why = known.get(named.key) ?? whyDamaged(store, named);
  known.set(named.key, why);
  return await why;
}

async function whyDamaged(store: Snapshots['store'], named: NamedPackage): Promise<string | undefined> {
  const { key, sizeBytes, sha256 } = named;
  const unsound = await whyUnsound(store, named);
  if (unsound !== undefined) return `${key} ${unsound}`;
  const file = sizeBytes > READ_MAX ? undefined : await store.openFile(key);
  if (!file) return undefined;
  const found = await hashOfFile(file).catch((thrown: unknown) => whyUnreadable(key, thrown));
  if (found === sha256) return undefined;
  const problem = typeof found === 'string' ? `has sha256 ${found}` : found.why;
  await noteDamage(store, key, problem);
  return `${key} is damaged: it ${problem}`;
}
