import type { RouteTarget, RunRoute } from './route';
import type { RouteChange } from '../run/run-input';

/** A route with what a person has corrected of it. */
export function correctedRoute<R extends RunRoute>(route: R, set: RouteChange): R {
  const { target, options } = route;
  return {
    ...route,
    target: target && correctedTarget(target, set),
    options: {
      ...options,
      overwrite: set.overwrite ?? options.overwrite,
      data: set.data ?? options.data,
      jobDeadlineMs: set.jobDeadlineMs ?? options.jobDeadlineMs,
      limits: { ...options.limits, freeDiskBytes: set.freeDiskBytes ?? options.limits.freeDiskBytes },
    },
  };
}

function correctedTarget(target: RouteTarget, { folderId, folderOwner }: RouteChange): RouteTarget {
  const or = <T>(change: T | null | undefined, before: T | undefined): T | undefined =>
    change === undefined ? before : (change ?? undefined);
  return {
    ...target,
    folderId: or(folderId, target.folderId),
    folderOwner: or(folderOwner, target.folderOwner),
  };
}
