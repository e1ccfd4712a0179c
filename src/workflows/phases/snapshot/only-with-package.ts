import type { Phase } from '../../run/phase';
import type { TransferRun } from '../../transfer/transfer-run';

/** Phases that have nothing to do where all that is asked for are copies. */
export const onlyWithPackage = (phases: readonly Phase<TransferRun>[]): Phase<TransferRun>[] =>
  phases.map((phase) => ({
    ...phase,
    run: async (run) =>
      run.facts.package ? await phase.run(run) : { status: 'skipped', detail: 'no package: copies only' },
  }));
