import { shortRunId } from '../model/run/run-id';
import type { DrillInput } from '../model/run/run-input';
import { countOf } from '../model/text/words';
import { cleanup } from './transfer/cleanup';
import { guardTarget } from './transfer/guards';
import { importGroup, waitImport } from './transfer/import';
import { preview } from './transfer/preview';
import { upload } from './transfer/upload';
import { verify } from './transfer/verify';
import { reading, writing } from './run/activity-options';
import { refusal, errorRecordOf } from './run/failure';
import type { Phase, PhaseEnd } from './run/phase';
import { defineTransfer } from './transfer/transfer-kind';
import type { TransferRun } from './transfer/transfer-run';

/** Approves a drill's plan only if all items are new on the target, so that nothing existing changes. */
const onlyNew: Phase<TransferRun> = {
  name: 'approve',
  async run(run) {
    const plan = run.need('plan');
    const { name } = run.need('target');
    const { rows, inTheWay } = await reading('existing items', name).findInTheWay(run.onPlan);
    const [first] = inTheWay;
    if (first) {
      throw refusal(
        'DRILL_NOT_EMPTY',
        `${inTheWay.length} of ${rows} items already exist on ${name}, such as "${first.title}" (${first.itemId})`,
        undefined,
        name,
      );
    }
    run.learn({ approved: plan.sha256 });
    return { detail: `all ${rows} items are new on ${name}` };
  },
};

/** Records the drill result with the snapshot. A missing or blocked item means that nothing is proven. */
const prove = ({ import: imports = false }: DrillInput): Phase<TransferRun> => ({
  name: 'prove',
  async run(run) {
    const target = run.need('target');
    const requested = run.need('requested');
    const plan = run.need('plan');
    const snapshotId = run.need('snapshotId');
    const { state } = run;
    const desired = requested.count - requested.skipped;
    const seen = plan.create + plan.overwrite + plan.keep + plan.blocked;
    if (seen < desired) {
      throw refusal(
        'SNAPSHOT_INCOMPLETE',
        `${target.name} finds ${seen} items in the package, but ${desired} were saved`,
        'Take another snapshot and drill that one.',
        target.name,
      );
    }
    if (plan.blocked > 0) {
      throw refusal(
        'DRILL_BLOCKED',
        `${target.name} would block ${plan.blocked} of ${seen} items, so the drill cannot prove that they can be restored`,
        `See why: portolan run show ${shortRunId(run.input.runId)} --plan. Then drill into a portal and group that accept every item.`,
        target.name,
      );
    }
    if (imports && ((state.items?.imported ?? 0) < desired || (state.verification?.findings ?? 0) > 0))
      return { status: 'failed', detail: 'not all items were imported as saved' };
    const level = imports ? 'imported' : 'previewed';
    await writing('drill result').proveSnapshot({
      snapshotId,
      level,
      portal: target.name,
      runId: run.input.runId,
      items: seen,
    });
    run.show({ proof: level });
    return { detail: `${countOf(seen, 'item')} ${level} on ${target.name}` };
  },
});

/** Deletes the packages, then the items a drill imported, however it ended. */
const cleanupOfDrill: Phase<TransferRun> = {
  name: 'cleanup',
  async run(run) {
    // Packages go first: without them no import can still start, even one whose response was lost.
    const end = await cleanup.run(run);
    const taken = run.work.begun > 0 ? await takeAway(run) : undefined;
    if (taken === undefined) return end;
    if (taken.status === 'failed') run.learn({ notSaved: (run.facts.notSaved ?? 0) + 1 });
    return { ...end, detail: `${taken.detail}; ${end.detail ?? ''}`, status: taken.status ?? end.status };
  },
};

async function takeAway(run: TransferRun): Promise<PhaseEnd> {
  const target = run.need('target');
  const { onPlan } = run;
  const how = `they are listed in ${onPlan.planRef} in the store`;
  if (run.work.jobs.import?.jobId !== undefined) {
    run.warn(`drill items stay on ${target.name}, because the import job may still be running; ${how}`);
    return { status: 'failed', detail: `drill items stay on ${target.name}` };
  }
  try {
    const { removed, left } = await writing('drill items', target.name).takeAway(onPlan);
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

/** Proves that a snapshot can be restored, without changing existing items. */
export const drill = defineTransfer(
  {
    name: 'drill',
    sides: ['target'],
    isTrial: true,
    // its items are deleted at once, so a new drill starts over
    parks: false,
    last: cleanupOfDrill,
    // The drill result counts even if its items could not be deleted.
    verdict: ({ state, facts }) => (state.proof && !facts.notSaved ? 'succeeded' : 'partial'),
  },
  (input: DrillInput) => {
    const seen = [
      guardTarget({
        snapshotId: input.snapshotId,
        purpose: input.import ? 'drill with import' : 'drill',
      }),
      upload,
      preview, // the portal reads the whole package
    ];
    const imported = [
      onlyNew, // no item may exist already
      importGroup,
      waitImport,
      verify,
    ];
    return [...seen, ...(input.import ? imported : []), prove(input)];
  },
);
