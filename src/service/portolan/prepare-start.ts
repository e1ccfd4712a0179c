import type { WriteContext } from '../run/run-sources';
import { seekGroupRun } from '../run/find-run';
import { prepareBackup, prepareDrill } from '../start/backup';
import type { PreparedRun, Requested, Log } from '../start/prepared-run';
import { preparePromotion, prepareStageRollback } from '../start/promotion';
import { prepareRelease } from '../start/release';
import { prepareRestart } from '../start/restart';
import { prepareRestore, prepareRollback } from '../start/restore';
import { prepareRetry } from '../start/retry';
import { prepareSync } from '../start/sync';
import type { Start } from './start';

/** Prepares a requested start; undefined if there is nothing to retry. */
export async function prepareStart(
  sources: WriteContext,
  start: Start,
  by: Requested & { readonly say?: Log; readonly typed?: string },
): Promise<PreparedRun | undefined> {
  switch (start.what) {
    case 'sync':
      return await prepareSync(sources, start.request, by);
    case 'backup':
      return await prepareBackup(sources, start.request, by);
    case 'drill':
      return await prepareDrill(sources, start.request, by);
    case 'restore':
      return await prepareRestore(sources, start.request, by);
    case 'release':
      return await prepareRelease(sources, start.request, by);
    case 'promotion':
      return await preparePromotion(sources, start.request, by);
    case 'stage rollback':
      return await prepareStageRollback(sources, start, start.request, by);
    case 'retry':
      return await prepareRetry(sources, start.run, start.request, by);
    case 'restart':
      return await prepareRestart(sources, start.run, start.request, by);
    case 'rollback':
      return await prepareRollback(sources, await seekGroupRun(sources, start.run), start.request, by);
  }
}
