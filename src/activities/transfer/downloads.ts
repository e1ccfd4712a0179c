import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { findItem, readItem } from '../../portal/resources/items/items';
import type { ActivityDeps } from '../deps';
import { fetchPackage, tooLarge } from './fetch-package';
import { stopSignal } from '../attempt/heartbeat';
import { TransferWatch } from '../attempt/transfer-watch';

export interface DownloadPackage {
  readonly portal: PortalFacts;
  readonly itemId: string;
  /** Key in the store. */
  readonly key: string;
  /** Most bytes that are taken. */
  readonly packageBytes: number;
}

export function createDownloadActivities({ portals, store }: ActivityDeps) {
  return {
    /** Fetches a package into the store. Throws what `fetchPackage` throws, and TRANSFER_STALLED. */
    async downloadPackage(input: DownloadPackage): Promise<PackageInStore> {
      const portal = portals.open(input.portal.name);
      const signal = stopSignal();
      return await TransferWatch.over(`download from ${portal.name}`, async (watch) => {
        const item = await readItem(portal, input.itemId, { signal });
        const declared = item.size && item.size > 0 ? item.size : undefined;
        if (declared !== undefined && declared > input.packageBytes) {
          throw tooLarge(declared, input.packageBytes, portal.name);
        }
        const partial = await store.openPartial(input.key);
        const onBytes = (bytes: number, total?: number): void => watch.bytes(bytes, total);
        const fetched = await fetchPackage(portal, partial, {
          itemId: input.itemId,
          declared,
          atMost: input.packageBytes,
          signal,
          onBytes,
        });
        await partial.commit();
        return { key: input.key, sizeBytes: partial.size, madeAt: item.created, ...fetched };
      });
    },

    /** Ids are kept by an import, so a package that can be read on the other portal proves that both are one. */
    async proveTwoPortals(input: {
      source: PortalFacts;
      target: PortalFacts;
      packageItemId: string;
    }): Promise<void> {
      const seen = await findItem(portals.open(input.target.name), input.packageItemId, {
        signal: stopSignal(),
      });
      if (!seen) return;
      throw new PortolanError(
        'SAME_PORTAL',
        `the package just exported from ${input.source.name} is on ${input.target.name} too: both are one portal`,
      );
    },
  };
}
