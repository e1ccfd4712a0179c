/** One end of a route. */
export type Side = 'source' | 'target';

/**
 * For what guards are asked. A rollback is guarded as the restore that it is; by its own name only where the run that
 * it undoes has overwritten nothing.
 */
export type GuardedRun = 'sync' | 'backup' | 'restore' | 'drill' | 'drill with import' | 'rollback';

/** A reading that checks need: one activity, retried alone. */
export type Look =
  'portals' | `${Side} group` | `${Side} disk` | 'items' | 'store' | 'references' | 'snapshot' | 'record';

/** A snapshot says how large the package is that needs room. */
const ofSnapshot = [['portals'], ['target group', 'snapshot'], ['target disk']] as const;

/** Order of checks. Those of one step run in parallel; a refusal ends the checks after it. */
export const guardSteps = {
  sync: [
    ['portals'],
    ['source group', 'target group', 'source disk'],
    ['items'],
    // The items say about how large the package will be that needs room.
    ['target disk', 'store', 'references'],
  ],
  backup: [['portals'], ['source group', 'source disk'], ['items'], ['store']],
  restore: ofSnapshot,
  drill: ofSnapshot,
  'drill with import': ofSnapshot,
  rollback: [['portals'], ['target group', 'record']],
} as const satisfies Record<GuardedRun, readonly (readonly Look[])[]>;
