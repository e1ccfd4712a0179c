import type { Change } from '../../model/transfer/change';
import { packageOf } from '../../model/snapshot/snapshot';
import { compareContent } from '../change/compare-content';
import type { ItemContent } from '../change/item-content';
import { hashOfText } from '../snapshot/hashing';
import { contentOf, contentsFileOf } from '../snapshot/contents';
import { whyUnsound } from '../snapshot/packages';
import type { Snapshots } from '../snapshot/snapshots';
import { whyUnreadable } from '../snapshot/unreadable';
import { type HeldItem, type Holding, holdingsOf } from './held-items';

/** Backups that hold an item alike. */
export interface ItemVersion {
  /** Newest first. */
  readonly holdings: readonly HeldVersion[];
  /** From the version before; absent for the first. */
  readonly change?: Change;
}

interface HeldVersion extends Holding {
  /** Why it cannot be restored from there. */
  readonly damaged?: string;
}

/** The versions of an item that differ, newest first; and which of its backups cannot be read. */
export async function versionsOf(
  snapshots: Snapshots,
  item: HeldItem,
): Promise<{ readonly versions: readonly ItemVersion[]; readonly notes: readonly string[] }> {
  const { holdings, notes } = await holdingsOf(snapshots, item);
  const versions: { holdings: HeldVersion[]; change?: Change }[] = [];
  const packages = new Map<string, Promise<string | undefined>>();
  let before: Holding | undefined;
  for (const holding of holdings.toReversed()) {
    const { manifest, row } = holding;
    const named = packageOf(manifest, row);
    const why = named && (packages.get(named.key) ?? whyUnsound(snapshots.store, named));
    if (named && why) packages.set(named.key, why);
    const damaged = await why;
    const held = { ...holding, damaged: damaged === undefined ? undefined : `its package ${damaged}` };
    const [last] = versions;
    // Its JSON is the same as far as it could be read, dates included: such nights are one version.
    const isKept = before !== undefined && isOneFile(before, holding);
    const change = before && !isKept ? await changeBetween(snapshots, before, holding) : undefined;
    if (last && (isKept || change?.kind === 'same')) last.holdings.unshift(held);
    else versions.unshift({ holdings: [held], change });
    before = holding;
  }
  return { versions, notes };
}

/** How an item differs between two backups of it. */
export async function changeBetween(snapshots: Snapshots, before: Holding, after: Holding): Promise<Change> {
  return changeIn(after.row.type, await heldContent(snapshots, before), await heldContent(snapshots, after));
}

/** Both name one file of JSON, which has an item once. */
function isOneFile(before: Holding, after: Holding): boolean {
  const [then, now] = [before, after].map(({ manifest, row }) => contentsFileOf(manifest, row));
  return then !== undefined && then.key === now?.key && then.sha256 === now.sha256;
}

/** Content, or why it is not known. */
type Known = ItemContent | { readonly why: string };

export const changeIn = (type: string, before: Known, after: Known): Change => {
  if ('why' in before) return unknown(before.why);
  return 'why' in after ? unknown(after.why) : compareContent(type, before, after, { isOnePortal: true });
};

const unknown = (why: string): Change => ({ kind: 'unknown', fields: [], why, sha256: hashOfText(why) });

/** The JSON of an item that a backup kept, or why there is none. */
export async function heldContent(snapshots: Snapshots, { manifest, row }: Holding): Promise<Known> {
  const { id } = manifest;
  try {
    return (await contentOf(snapshots, manifest, row)) ?? { why: `snapshot ${id} has not kept its JSON` };
  } catch (thrown) {
    return { why: whyUnreadable(id, thrown).why };
  }
}
