import { writing } from '../run/calls';
import { errorRecordOf } from '../run/failure';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Takes our packages off both portals and lets the store forget what it need not keep. Runs however a run ended. */
export const cleanup = phase({
  name: 'cleanup',
  async run(run: TransferRun): Promise<PhaseEnd> {
    const { kind } = run;
    const { keepPackages, keep } = run.route.options;
    const { status, error } = run.state;
    // What is left open can be imported from the package.
    const done = status === 'running' && !error && kind.verdict(run) !== 'partial';
    const keepMs = !kind.isTakenUp ? 0 : done ? keep.succeededMs : keep.failedMs;
    const stayed = await Promise.all([
      tidy(run, keepMs),
      ...(keepPackages ? [] : [clear(run, 'source', done), clear(run, 'target', done)]),
    ]);
    const left = stayed.flat();
    if (keepPackages) return { detail: 'packages are kept, as asked' };
    if (left.length > 0) return { status: 'failed', detail: `left: ${left.join(', ')}` };
    const portals = (kind.sides ?? []).map((side) => run.end(side).portal);
    return { detail: `nothing of ours left on ${portals.join(' or ')}` };
  },
});

/** Lets the store forget. One that cannot be used must not hide how the run went. */
async function tidy(run: TransferRun, keepMs: number): Promise<string[]> {
  try {
    await writing('what the store keeps').tidyStore({ runId: run.input.runId, keepMs });
    return [];
  } catch (thrown) {
    run.warn(`what the run needed is still in the store: ${errorRecordOf(thrown, run.route).message}`);
    return ['the store: not known'];
  }
}

/** Takes what is ours off one portal; what stays is named, and is a warning. */
async function clear(run: TransferRun, side: 'source' | 'target', settled: boolean): Promise<string[]> {
  const { facts, traces, route } = run;
  const portal = facts[side];
  if (!portal || !traces.mayBeOn(side)) return [];
  const mayRun = traces.openJobs.find((job) => job.side === side && job.jobId !== undefined);
  if (mayRun) {
    run.warn(
      `packages of ours stay on ${portal.name} for the ${mayRun.name} job that may still run; portolan clean ${portal.name} --yes removes them afterwards`,
    );
    return [`${portal.name}: left for the ${mayRun.name} job`];
  }
  const known = traces.packages.filter((each) => each.side === side).map((each) => each.itemId);
  try {
    const { left } = await writing(`our packages on ${portal.name}`).removePackages({
      runId: run.input.runId,
      portal,
      known,
      settled,
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
