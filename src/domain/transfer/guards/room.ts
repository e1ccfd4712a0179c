import { bytesText } from '../../../model/text/bytes-text';
import { PortolanError } from '../../../model/errors/errors';
import type { GuardResult } from '../../../model/run/guard';
import type { Portal } from '../../../portal/client';
import { readContentDisk } from '../../../portal/resources/machines';
import type { CallOptions } from '../../../portal/http/request';
import type { PortalVersion } from '../../../portal/http/versions';
import { optional } from '../retry';
import { bytesNeeded, type DiskShares } from './disk-shares';
import { bytesBeside, pass, refuse, unknown } from './verdict';

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
