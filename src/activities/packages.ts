import { z } from 'zod';
import type { PortalFacts } from '../checks/portal-facts';
import { deleteItem } from '../portal/items';
import { keys } from '../store/keys';
import type { ActivityDeps } from './deps';
import { requireUser } from './exports';
import { stopSignal } from './heartbeat';

/** Beside a package that outlives its run: until when it stays. */
const keepNote = z.object({ until: z.number() });

export function createPackageActivities({ portals, store }: ActivityDeps) {
  return {
    /** Removes a package item of ours, past the recycle bin where there is one. Its absence is as good. */
    async removePackage(input: { portal: PortalFacts; itemId: string }): Promise<'deleted' | 'absent'> {
      return await deleteItem(
        portals.open(input.portal.name),
        { owner: requireUser(input.portal), itemId: input.itemId, permanent: input.portal.recycleBin },
        { signal: stopSignal() },
      );
    },

    /**
     * Leaves of a run what its route says: the package for `keepMs`, its record, plans, ledger and verification
     * for good, no working pages. Packages of earlier runs whose time is over go too.
     */
    async tidyStore(input: { runId: string; keepMs: number }): Promise<void> {
      const { runId } = input;
      await store.remove(keys.working(runId));
      if (input.keepMs > 0)
        await store.writeJson(keys.packageNote(runId), { until: Date.now() + input.keepMs });
      else await dropPackage(runId);
      for await (const key of store.list(keys.packages)) {
        const noted = keys.runOfPackageNote(key);
        const note = noted && (await store.readJson(key, keepNote));
        if (noted && note && note.until < Date.now()) await dropPackage(noted);
      }
    },
  };

  async function dropPackage(runId: string): Promise<void> {
    await store.remove(keys.package(runId));
    await store.remove(keys.packageNote(runId));
  }
}
