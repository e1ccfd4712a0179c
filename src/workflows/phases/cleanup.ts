import type { RouteEnd, RunRoute } from '../../model/transfer/route';
import type { RunKind } from '../../model/run/run';
import { writing } from '../run/calls';
import { errorRecordOf } from '../run/failure';
import { verdict } from '../run/outcome';
import type { Phase, PhaseEnd, Run } from '../run/run';

/** Takes our packages off both portals and lets the store forget what it need not keep. Runs however a run ended. */
export const cleanup: Phase = {
  name: 'cleanup',
  async run(run): Promise<PhaseEnd> {
    const { route } = run;
    const { keepPackages, keep } = route.options;
    const { status, error } = run.state;
    // What is left open can be imported from the package.
    const done = status === 'running' && !error && verdict(run, undefined) !== 'partial';
    // Only a sync is taken up again with its package.
    const keepMs = run.state.kind !== 'sync' ? 0 : done ? keep.succeededMs : keep.failedMs;
    const stayed = await Promise.all([
      tidy(run, keepMs),
      ...(keepPackages ? [] : [clear(run, 'source'), clear(run, 'target')]),
    ]);
    const left = stayed.flat();
    if (keepPackages) return { detail: 'packages are kept, as asked' };
    if (left.length > 0) return { status: 'failed', detail: `left: ${left.join(', ')}` };
    const places = portalsOf(run.state.kind, route).map(({ portal }) => portal);
    return { detail: `nothing of ours left on ${places.join(' or ')}` };
  },
};

/** Where something of the run can have been: a restore only remembers where its snapshot came from. */
function portalsOf(kind: RunKind, { source, target }: RunRoute): RouteEnd[] {
  if (!target) return [source];
  return kind === 'sync' ? [source, target] : [target];
}

/** Lets the store forget. One that cannot be used must not hide how the run went. */
async function tidy(run: Run, keepMs: number): Promise<string[]> {
  try {
    await writing('what the store keeps').tidyStore({ runId: run.input.runId, keepMs });
    return [];
  } catch (thrown) {
    run.warn(`what the run needed is still in the store: ${errorRecordOf(thrown, run.route).message}`);
    return ['the store: not known'];
  }
}

/** Takes what is ours off one portal; what stays is named, and is a warning. */
async function clear(run: Run, side: 'source' | 'target'): Promise<string[]> {
  const { context, route } = run;
  const portal = context[side];
  if (!portal || !context.wrote[side]) return [];
  const mayRun = context.openJobs.find((job) => job.side === side && job.jobId !== undefined);
  if (mayRun) {
    run.warn(
      `packages of ours stay on ${portal.name} for the ${mayRun.name} job that may still run; portolan clean ${portal.name} --yes removes them afterwards`,
    );
    return [`${portal.name}: left for the ${mayRun.name} job`];
  }
  const known = context.packages.filter((each) => each.side === side).map((each) => each.itemId);
  try {
    const { left } = await writing(`our packages on ${portal.name}`).removePackages({
      runId: run.input.runId,
      portal,
      known,
    });
    for (const each of left)
      run.warn(
        `a package of ours is still on ${portal.name}: ${each}; portolan clean ${portal.name} --yes removes it`,
      );
    return left.map((each) => `${portal.name}: ${each}`);
  } catch (thrown) {
    run.warn(
      `our packages may still be on ${portal.name}: ${errorRecordOf(thrown, route).message}; portolan clean ${portal.name} --yes removes them`,
    );
    return [`${portal.name}: not known`];
  }
}
