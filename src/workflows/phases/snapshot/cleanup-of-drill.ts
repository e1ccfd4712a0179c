import { writing } from '../../run/activity-options';
import { known } from '../../run/facts';
import { errorRecordOf } from '../../run/failure';
import { phase, type PhaseEnd } from '../../run/phase';
import type { TransferRun } from '../../transfer/transfer-run';
import { cleanup } from '../cleanup';
import { countOf } from '../../../model/text/words';

/** Deletes the packages, then the items a drill imported, however it ended. */
export const cleanupOfDrill = phase({
  name: 'cleanup',
  gives: ['notSaved'],
  async run(run: TransferRun, _found, give): Promise<PhaseEnd> {
    // Packages go first: without them no import can still start, even one whose response was lost.
    const end = await cleanup.run(run);
    const taken = run.traces.imports.posted ? await takeAway(run) : undefined;
    if (taken === undefined) return end;
    if (taken.status === 'failed') give({ notSaved: (run.facts.notSaved ?? 0) + 1 });
    return { ...end, detail: `${taken.detail}; ${end.detail ?? ''}`, status: taken.status ?? end.status };
  },
});

async function takeAway(run: TransferRun): Promise<PhaseEnd> {
  const target = known(run.facts, 'target');
  const { ref: planRef } = known(run.facts, 'plan');
  const mayRun = run.traces.openJobs.some(({ name, jobId }) => name === 'import' && jobId !== undefined);
  const how = `they are listed in ${planRef} in the store`;
  if (mayRun) {
    run.warn(`drill items stay on ${target.name}, because the import job may still be running; ${how}`);
    return { status: 'failed', detail: `drill items stay on ${target.name}` };
  }
  try {
    const { removed, left } = await writing(`drill items on ${target.name}`, target.name).takeAway({
      runId: run.input.runId,
      route: run.ends,
      target,
      planRef,
    });
    for (const each of left) run.warn(`still on ${target.name} after the drill: ${each}`);
    if (left.length > 0)
      return {
        status: 'failed',
        detail: `${countOf(left.length, 'drill item or folder', 'drill items or folders')} left`,
      };
    run.show({ target: 'untouched' });
    return { detail: `${countOf(removed, 'drill item')} deleted` };
  } catch (thrown) {
    const { message } = errorRecordOf(thrown, run.route);
    run.warn(`drill items may still be on ${target.name}: ${message}; ${how}`);
    return { status: 'failed', detail: `drill items may still be on ${target.name}` };
  }
}
