import type { liveOperations } from '../contract/live';
import type { Handlers } from './context';
import { resolveRun } from './run/find-run';
import { readStatus } from './status/read-status';

export const liveHandlers: Handlers<typeof liveOperations> = {
  watchRun: (sources, { run }) => resolveRun(sources, run),
  watchStatus: (sources) => readStatus(sources),
};
