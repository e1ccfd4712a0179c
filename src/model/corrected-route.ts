import type { Route } from './route';
import type { RouteChange } from './sync-input';

/** A route with what a person has corrected of it. */
export function correctedRoute(route: Route, set: RouteChange): Route {
  const { target, options } = route;
  const or = <T>(change: T | null | undefined, before: T | undefined): T | undefined =>
    change === undefined ? before : (change ?? undefined);
  return {
    ...route,
    target: {
      ...target,
      folderId: or(set.folderId, target.folderId),
      folderOwner: or(set.folderOwner, target.folderOwner),
    },
    options: {
      ...options,
      overwrite: set.overwrite ?? options.overwrite,
      data: set.data ?? options.data,
      jobDeadlineMs: set.jobDeadlineMs ?? options.jobDeadlineMs,
      limits: { ...options.limits, freeDiskBytes: set.freeDiskBytes ?? options.limits.freeDiskBytes },
    },
  };
}
