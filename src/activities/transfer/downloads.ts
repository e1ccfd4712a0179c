import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { findItem, readItem } from '../../portal/resources/items/items';
import type { ActivityDeps } from '../deps';
import { stopSignal } from '../attempt/heartbeat';
import { TransferWatch } from '../attempt/transfer-watch';
import type { Portal } from '../../portal/client';
import { downloadItemData } from '../../portal/resources/items/download';
import type { PartialFile } from '../../store/store';

export interface DownloadPackage {
  readonly portal: PortalFacts;
  readonly itemId: string;
  /** Store key. */
  readonly key: string;
  /** Size limit. */
  readonly packageBytes: number;
}

/** Computes a hash. */
export interface Hashing {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/** Processes a package's bytes during the download. */
interface Onlooker {
  /** A hash over the whole package. @param size of the package, if known */
  hashing(size: number | undefined): Hashing;
  /** More bytes have arrived. */
  goOn(): void;
  /** No more bytes will arrive. @param isWhole the package is complete */
  settle(isWhole: boolean): Promise<void>;
}

/** Downloads a package into the store. Throws what `fetchPackage` throws, and TRANSFER_STALLED. */
export async function downloadPackage(deps: ActivityDeps, input: DownloadPackage): Promise<PackageInStore> {
  return await bringPackage(deps, input);
}

/** A package just exported from one portal that is readable on the other proves that both are the same. */
export async function proveTwoPortals(
  { portals }: ActivityDeps,
  input: { source: PortalFacts; target: PortalFacts; packageItemId: string },
): Promise<void> {
  const seen = await findItem(portals.open(input.target.name), input.packageItemId);
  if (!seen) return;
  throw new PortolanError(
    'SAME_PORTAL',
    `the package just exported from ${input.source.name} is on ${input.target.name} too: they are the same portal`,
  );
}

/** Downloads a package into the store, with an optional onlooker. Throws what `downloadPackage` throws. */
export async function bringPackage(
  { portals, store }: Pick<ActivityDeps, 'portals' | 'store'>,
  { portal: { name }, itemId, key, packageBytes }: DownloadPackage,
  watchedBy?: (partial: PartialFile, watch: TransferWatch) => Onlooker,
): Promise<PackageInStore> {
  const portal = portals.open(name);
  const signal = stopSignal();
  return await TransferWatch.over(`download from ${name}`, name, async (watch) => {
    const item = await readItem(portal, itemId);
    const declared = item.size && item.size > 0 ? item.size : undefined;
    if (declared !== undefined && declared > packageBytes) throw tooLarge(declared, packageBytes, name);
    const partial = await store.openPartial(key);
    const onlooker = watchedBy?.(partial, watch);
    const onBytes = (bytes: number, total?: number): void => {
      watch.bytes(bytes, total);
      onlooker?.goOn();
    };
    const hashing = onlooker?.hashing.bind(onlooker);
    const fetch = { itemId, declared, atMost: packageBytes, signal, onBytes, hashing };
    try {
      const fetched = await fetchPackage(portal, partial, fetch).catch(async (thrown: unknown) => {
        await onlooker?.settle(false);
        throw thrown;
      });
      await onlooker?.settle(true);
      await partial.commit();
      return { key, sizeBytes: partial.size, ...fetched };
    } finally {
      await partial.close();
    }
  });
}

interface Fetch {
  readonly itemId: string;
  /** Size in the item record. @format bytes */
  readonly declared?: number;
  /** Size limit, enforced during the download. @format bytes */
  readonly atMost: number;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number, total: number | undefined) => void;
  /** Creates the hash over the whole file. @default sha256 */
  readonly hashing?: ((total: number | undefined) => Hashing) | undefined;
}

/** Pauses before continuing a download that a later attempt would have to start over. @format milliseconds */
const GO_ON_AFTER_MS = [250, 1_000, 5_000, 10_000, 20_000, 30_000, 60_000] as const;

/**
 * Downloads an item's file into a partial file and hashes it, continuing an earlier attempt if the portal allows. If the
 * connection breaks, the partial file is kept; if no later attempt can continue it, this one does.
 * Throws WRONG_LENGTH, RESPONSE_CUT, PACKAGE_TOO_LARGE, NO_SPACE, STORE_UNREACHABLE.
 */
export async function fetchPackage(
  portal: Portal,
  partial: PartialFile,
  fetch: Fetch,
): Promise<{ sha256: string; sizeChecked: boolean }> {
  const { declared, signal } = fetch;
  if (declared !== undefined && partial.size > declared) await partial.restart();
  let hash: Hashing | undefined;
  let total = declared;
  if (declared === undefined || partial.size < declared) {
    let breaks = 0;
    for (let etag: string | undefined; ;) {
      const before = partial.size;
      try {
        const answer = await downloadItemData(portal, fetch.itemId, { from: before, etag }, { signal });
        etag = answer.etag;
        total = declared ?? answer.totalBytes;
        if (answer.startsAt !== before) {
          await partial.restart();
          hash = undefined;
        }
        hash ??= await hashOfWhatIsThere();
        await partial.append(counted(answer.body, hash));
        break;
      } catch (thrown) {
        breaks = partial.size > before ? 0 : breaks + 1;
        const pause = GO_ON_AFTER_MS[breaks];
        if (partial.lasting || partial.size === 0 || pause === undefined || !ofTheSource(thrown))
          throw thrown;
        await sleep(pause, undefined, { signal });
      }
    }
  }
  if (total !== undefined && partial.size !== total) {
    const seen = partial.size;
    if (seen > total) await partial.restart();
    throw new PortolanError(
      'WRONG_LENGTH',
      `the package on ${portal.name} has ${total} bytes, but ${seen} arrived`,
      { portal: portal.name },
    );
  }
  hash ??= await hashOfWhatIsThere();
  return { sha256: hash.digest('hex'), sizeChecked: total !== undefined };

  async function hashOfWhatIsThere(): Promise<Hashing> {
    const begun = fetch.hashing?.(total) ?? createHash('sha256');
    for await (const chunk of partial.pieces?.(0, partial.size) ?? []) {
      begun.update(chunk);
      fetch.onBytes(partial.size, total);
    }
    return begun;
  }

  async function* counted(body: AsyncIterable<Uint8Array>, hash: Hashing): AsyncGenerator<Uint8Array> {
    let bytes = partial.size;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > fetch.atMost) throw tooLarge(bytes, fetch.atMost, portal.name);
      hash.update(chunk);
      fetch.onBytes(bytes, total);
      yield chunk;
    }
  }
}

/** Whether the connection to the portal broke, which may recover soon. */
function ofTheSource(thrown: unknown): boolean {
  const { code, meaning } = PortolanError.from(thrown);
  return meaning.kind === 'transient' && !code.startsWith('STORE_');
}

const tooLarge = (bytes: number, atMost: number, portal: string): PortolanError =>
  new PortolanError('PACKAGE_TOO_LARGE', `the package has ${bytes} bytes (limit ${atMost})`, {
    portal,
  });
