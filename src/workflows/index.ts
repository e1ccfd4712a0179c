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
