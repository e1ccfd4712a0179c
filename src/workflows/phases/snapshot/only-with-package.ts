import type { Phase } from '../../run/run';

/** Phases that have nothing to do where all that is asked for are copies. */
export const onlyWithPackage = (phases: readonly Phase[]): Phase[] =>
  phases.map((phase) => ({
    ...phase,
    run: async (run) =>
      run.context.package ? await phase.run(run) : { status: 'skipped', detail: 'no package: copies only' },
  }));
