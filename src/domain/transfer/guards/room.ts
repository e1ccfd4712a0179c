import { isPackaged, type PlanRow } from '../../../model/transfer/plan';
import { bytesText, countOf } from '../../../model/text/words';
import { PortolanError } from '../../../model/errors/errors';
import type { GuardResult } from '../../../model/run/run';
import type { Portal } from '../../../portal/client';
import { readContentDisk } from '../../../portal/resources/machines';
import type { CallOptions } from '../../../portal/http/request';
import type { PortalVersion } from '../../../portal/http/versions';
import { optional } from '../retry';
import { bytesBeside, pass, refuse, unknown, named } from './verdict';
import type { RequestedItem } from '../../../model/transfer/requested';
import type { ClassifiableItem, Classification } from '../classify-item';
import { bytesOf, goesSurely, mayGo, partition, shownBy, toldSize, weighted, weightOf } from '../packing';
import { type ClassifiedItem, titleOf } from './group';

/**
 * What a run will still put into the content store of its target. The portal looks whether 10 GB are free before every
 * export and every import, and nowhere else (docs/reference/portal-interface.md, "Limits"). So
 *
 * - the package before its upload, and the safeguard's package before its export, come on top of these 10 GB: both lie
 *   in the content store when the portal looks before the import;
 * - what the import unpacks comes out of them, since they are needed for that job, and only counts where it is more;
 * - a package that lies there already is no longer among what is free, and is not counted twice.
 *
 * @format bytes
 */
export interface DiskShares {
  readonly upload?: number;
  readonly safeguard?: number;
  readonly unpacked?: number;
}

/** What must be free now, so that the portal still finds enough before the import. @format bytes */
export const bytesNeeded = (
  minBytes: number,
  { upload = 0, safeguard = 0, unpacked = 0 }: DiskShares = {},
): number => Math.max(minBytes, unpacked) + upload + safeguard;

type WeighedRow = Pick<PlanRow, 'itemId' | 'type' | 'action' | 'size' | 'target'>;

/**
 * The shares of a run whose package is uploaded. Nobody tells what a hosted layer weighs, so that the package shows it;
 * the same layers weigh about as much on the target.
 *
 * @param packageBytes of the package that is uploaded
 */
export function sharesOfPlan(rows: readonly WeighedRow[], packageBytes: number): Required<DiskShares> {
  const packaged = rows.filter(isPackaged);
  const shown = shownBy(packaged, packageBytes);
  const weight = (taken: readonly WeighedRow[], sizeOf: (row: WeighedRow) => number | undefined): number =>
    taken.reduce((sum, row) => sum + (shown.get(row.itemId) ?? sizeOf(row) ?? 0), 0);
  return {
    upload: 0,
    unpacked: weight(
      packaged.filter(({ action }) => action === 'create' || action === 'overwrite'),
      toldSize,
    ),
    // What lies outside of the group cannot be exported with it, and is copied one by one.
    safeguard: weight(
      packaged.filter(({ action, target }) => action === 'overwrite' && target?.inGroup === true),
      (row) => row.target?.size ?? toldSize(row),
    ),
  };
}

const GB = 1024 ** 3;

/** Disk space needed in a content store, and facts about its portal. */
export interface DiskToCheck {
  /** Free space the portal requires before an export or import. @format bytes */
  readonly minBytes: number;
  /** A release known to be too old is not asked. */
  readonly version: PortalVersion;
  /** What the run will still store there. @default nothing */
  readonly shares?: DiskShares;
}

/**
 * Checks free disk space in a portal's content store, if readable: the portal requires it before an export or
 * import. docs/reference/portal-interface.md, "Disk"
 */
export async function contentDisk(
  portal: Portal,
  { minBytes, version, shares }: DiskToCheck,
  options?: CallOptions,
): Promise<GuardResult> {
  const name = `disk on ${portal.name}`;
  const neededBytes = bytesNeeded(minBytes, shares);
  const inStore = `free in the content store${reasonsFor(minBytes, shares)}`;
  const disk = await optional((o) => readContentDisk(portal, { version }, o), options);
  if (disk === undefined) {
    return unknown(name, {
      saw: `this account cannot read it on ${portal.name}`,
      needs: `${bytesText(neededBytes)} ${inStore}`,
      todo: `Check the free disk space of the content store of ${portal.name}; portals report it from 11.3.`,
    });
  }
  const free = disk.usableGB * GB;
  const saw = `${bytesBeside(free, neededBytes)} free in ${disk.where}`;
  if (free >= neededBytes) return pass(name, saw);
  return refuse(name, 'DISK_FULL', {
    saw,
    needs: `${bytesBeside(neededBytes, free)} ${inStore}`,
    todo: `Free disk space in the content store of ${portal.name}.`,
  });
}

/** `: 10 GB for the import, 1.2 GB for the safeguard`, where there is more than what the portal wants. */
function reasonsFor(minBytes: number, { upload = 0, safeguard = 0, unpacked = 0 }: DiskShares = {}): string {
  const parts = [
    unpacked > minBytes
      ? `${bytesText(unpacked)} for the imported items`
      : `${bytesText(minBytes)} that the portal keeps free`,
    ...(upload > 0 ? [`${bytesText(upload)} for the package`] : []),
    ...(safeguard > 0 ? [`${bytesText(safeguard)} for the safeguard`] : []),
  ];
  return parts.length > 1 || unpacked > minBytes ? `: ${parts.join(', ')}` : '';
}

/** The parts of the store that its check needs. */
export interface StoreToCheck {
  /** For people. */
  readonly where: string;
  /** Writes, reads, lists and removes something; throws what keeps it from that. */
  check(): Promise<void>;
  /** Free space; undefined without a limit. @format bytes */
  room(): Promise<number | undefined>;
}

/**
 * Checks Portolan's store: usable, with enough space. Throws transient errors, such as STORE_UNREACHABLE.
 * @param neededBytes what the run will put there at the least
 */
export async function storeRoom(store: StoreToCheck, neededBytes: number): Promise<GuardResult> {
  const name = 'store';
  const needs = `${bytesText(neededBytes)} free in the store of packages`;
  const unusable = await store.check().catch((thrown: unknown) => refusalOfStore(name, thrown));
  if (unusable) return unusable;
  const free = await store.room();
  if (free === undefined) return pass(name, `${store.where} is readable and writable, and unlimited`);
  if (free >= neededBytes) return pass(name, `${bytesText(free)} free`);
  return refuse(name, 'STORE_FULL', {
    saw: `${bytesBeside(free, neededBytes)} free`,
    needs,
    todo: 'Free disk space in the store, or choose another store in portolan.yaml.',
  });
}

function refusalOfStore(name: string, thrown: unknown): GuardResult {
  const error = PortolanError.from(thrown);
  if (error.meaning.kind !== 'permanent') throw error;
  return refuse(name, error.code, {
    saw: error.plainMessage,
    needs: 'a store that can be written, read, listed and deleted from',
    todo: error.hint,
  });
}

/** What is read of an item to weigh it. */
export interface WeighableItem extends ClassifiableItem {
  readonly size?: number | null;
}

/** What an export is known to take; what it may leave out refuses nothing by its size. */
const judged = (
  items: readonly ClassifiedItem<WeighableItem>[],
  verdict: Classification['verdict'],
): WeighableItem[] =>
  items.flatMap(({ item, classification }) => (classification.verdict === verdict ? [item] : []));

/** No single item may be larger than the limit; items without a size are the package guard's warning. */
export function itemsWithinLimit(
  items: readonly ClassifiedItem<WeighableItem>[],
  limitBytes: number,
): GuardResult {
  const name = 'item size';
  const needs = `items of at most ${bytesText(limitBytes)}`;
  const weighed = weigh(judged(items, 'exportable'));
  const large = tooLarge(weighed, limitBytes);
  if (large !== undefined) {
    return refuse(name, 'ITEM_TOO_LARGE', {
      saw: large,
      needs,
      todo: 'Remove the large items from the group, or omit them with --items.',
    });
  }
  const doubtful = tooLarge(weigh(judged(items, 'unknown')), limitBytes);
  if (doubtful !== undefined) {
    return unknown(name, {
      saw: `${doubtful}, if exported`,
      needs,
      todo: 'Nothing if the export skips it. Otherwise remove it from the group, or omit it with --items.',
    });
  }
  const top = weighed.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  return pass(name, `largest ${bytesText(top)}`);
}

interface Weighed {
  readonly title: string;
  readonly bytes: number;
}

const weigh = (items: readonly WeighableItem[]): Weighed[] =>
  items.flatMap((item) => {
    const bytes = toldSize(item);
    return bytes === undefined ? [] : [{ title: titleOf(item), bytes }];
  });

/** Which items are over the limit, in words; `undefined` where none is. */
function tooLarge(weighed: readonly Weighed[], limitBytes: number): string | undefined {
  const large = weighed.filter(({ bytes }) => bytes > limitBytes).sort((a, b) => b.bytes - a.bytes);
  const [largest] = large;
  if (largest === undefined) return undefined;
  const most = `${bytesBeside(largest.bytes, limitBytes)}${large.length > 1 ? ' the largest' : ''}`;
  return `${named(large.map(({ title }) => title))}: ${most}`;
}

/**
 * The packages that are about to be made, as far as weights are known: of what goes, without what stays where it is. A
 * group that is too large for one goes in several, and only an item that is too large for any is refused. Hosted services
 * weigh what their data weighs, which nobody tells before one of their packages has shown it: `?`.
 */
export function packageEstimate(requested: readonly RequestedItem[], limitBytes: number): GuardResult {
  const name = 'package size';
  const needs = `a package of at most ${bytesText(limitBytes)}`;
  const going = goesSurely(requested);
  const weights = going.map((item) => ({ title: item.title, bytes: weightOf(item) ?? 0 }));
  const large = tooLarge(weights, limitBytes);
  if (large !== undefined) {
    const isTold = going.every(
      (item) => (weightOf(item) ?? 0) <= limitBytes || (toldSize(item) ?? 0) > limitBytes,
    );
    return refuse(name, 'PACKAGE_TOO_LARGE', {
      saw: isTold ? large : `${large}, judging by earlier packages`,
      needs,
      todo: `Remove the large items from the group, or omit them with --items.${isTold ? '' : ' If they have become smaller, sync once with --full.'}`,
    });
  }
  const bytes = bytesText(bytesOf(going));
  const count = partition(weighted(mayGo(requested)), new Map(), limitBytes).length;
  const packages = count > 1 ? ` in ${count} packages` : '';
  const unweighed = going.filter((item) => weightOf(item) === undefined);
  const doubtful = mayGo(requested).filter(({ doubt }) => doubt !== undefined);
  if (unweighed.length === 0 && doubtful.length === 0)
    return { ...pass(name, `about ${bytes}${packages}`), isNews: count > 1 || undefined };
  const isRemembered = going.some((item) => item.bytes !== undefined);
  const parts = [
    `${bytes} ${isRemembered ? 'known' : 'of files'}${packages}`,
    ...(unweighed.length > 0
      ? [
          `${countOf(unweighed.length, 'item')} of unknown size: ${named(unweighed.map(({ title }) => title))}`,
        ]
      : []),
    ...(doubtful.length > 0
      ? [
          `${countOf(doubtful.length, 'item')} that the export may skip: ${named(doubtful.map(({ title }) => title))}`,
        ]
      : []),
  ];
  return unknown(name, {
    saw: parts.join(', and '),
    needs,
    todo: 'Nothing; the size of a package is known after the export, and a package that is too large is split.',
  });
}
