import { backup } from './backup';
import { categorySchema } from './category-schema';
import { drill } from './drill';
import { promote } from './promote';
import { promotion } from './promotion';
import { release } from './release';
import { restore } from './restore';
import { rollback } from './rollback';
import { pinToVersion } from './run/pin-to-version';
import { settings } from './settings';
import { sync } from './sync';
import { taskRun } from './task-run';

pinToVersion(
  ...[backup, categorySchema, drill, promote, promotion, release, restore, rollback, settings, sync, taskRun],
);

// Workflows are named like the kind of run, in camelCase: `task-run` is `taskRun`.
export { backup } from './backup';
export { bisect } from './bisect';
export { categorySchema } from './category-schema';
export { delivery } from './delivery';
export { drill } from './drill';
export { portalQueue } from './portal-queue/portal-queue';
export { promote } from './promote';
export { promotion } from './promotion';
export { release } from './release';
export { restore } from './restore';
export { rollback } from './rollback';
export { settings } from './settings';
export { sync } from './sync';
export { taskRun } from './task-run';
export { watchAge } from './watch-age';
export { workerView } from './worker-view';
