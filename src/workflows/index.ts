// Workflows are named like the kind of run, in camelCase: `task-run` is `taskRun`.
export { backup } from './backup';
export { bisect } from './bisect';
export { drill } from './drill';
export { categorySchema, settings, taskRun } from './portal-change';
export { portalQueue } from './portal-queue/portal-queue';
export { promote } from './promote';
export { promotion } from './promotion';
export { protect } from './protect';
export { release } from './release';
export { restore } from './restore';
export { rollback } from './rollback';
export { sync } from './sync';
export { delivery, watchAge, workerView } from './not-runs';
