/** One end of a route. */
export type Side = 'source' | 'target';

/**
 * For what guards are asked. A rollback is guarded as the restore that it is; by its own name only where the run that
 * it undoes has overwritten nothing.
 */
export type GuardedRun = 'sync' | 'backup' | 'restore' | 'drill' | 'drill with import' | 'rollback';

/** One reading on which guards rest: a call by itself, which fails by itself and is tried again by itself. */
export type Look =
  'portals' | `${Side} group` | `${Side} disk` | 'items' | 'store' | 'references' | 'snapshot' | 'record';

/** The portals that a run works with: a restore only remembers where its snapshot came from. */
export const guardedSides = {
  sync: ['source', 'target'],
  backup: ['source'],
  restore: ['target'],
  drill: ['target'],
  'drill with import': ['target'],
  rollback: ['target'],
} as const satisfies Record<GuardedRun, readonly Side[]>;

/** A snapshot says how large the package is that needs room. */
const ofSnapshot = [['portals'], ['target group', 'snapshot'], ['target disk']] as const;

/**
 * The order in which a run, and `doctor` for it, looks: side by side what stands in one step, since it needs only what
 * earlier steps have found. What is refused in a step ends the looking there.
 */
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
