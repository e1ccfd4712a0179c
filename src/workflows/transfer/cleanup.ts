import { PACKAGES_STAY_MS } from '../../model/transfer/stored-package';
import { writing } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import type { Phase } from '../run/phase';
import { openJobs, sideOf } from '../run/memory';
import type { TransferRun } from './transfer-run';

/** Deletes Portolan's packages from both portals and expired files from the store, however the run ended. */
export const cleanup: Phase<TransferRun> = {
  name: 'cleanup',
  async run(run) {
    const { kind } = run;
    const { keepPackages } = run.route.options;
    const { status, error } = run.state;
    // An unfinished run keeps its package longer, so that a later run can import the rest.
    const done = status === 'running' && !error && kind.verdict(run) !== 'partial';
    const keepMs = kind.isReusable && !done ? PACKAGES_STAY_MS : 0;
    const stayed = await Promise.all([
      tidy(run, keepMs),
      ...(keepPackages ? [] : [clear(run, 'source', done), clear(run, 'target', done)]),
    ]);
    const left = stayed.flat();
    if (keepPackages) return { detail: 'packages are kept, as requested' };
    if (left.length > 0) return { status: 'failed', detail: `left behind: ${left.join(', ')}` };
    const portals = (kind.sides ?? []).map((side) => run.end(side).portal);
    return { detail: `no packages left on ${portals.join(' or ')}` };
  },
};

/** Deletes expired files from the store. A failure must not hide the outcome of the run. */
async function tidy(run: TransferRun, keepMs: number): Promise<string[]> {
  const { status } = await run.attempt('the files of the run are still in the store', () =>
    writing('packages in the store').tidyStore({ runId: run.input.runId, keepMs }),
  );
  return status === 'failed' ? ['perhaps files in the store'] : [];
}

/** Deletes Portolan's packages from one portal. Warns about each one that remains. */
async function clear(run: TransferRun, side: 'source' | 'target', settled: boolean): Promise<string[]> {
  const { facts, work, route } = run;
  const portal = facts[side];
  if (!portal || !work.written[side]) return [];
  const mayRun = openJobs(work).find(({ name, jobId }) => sideOf(name) === side && jobId !== undefined);
  if (mayRun) {
    run.warn(
      `packages stay on ${portal.name}, because the ${mayRun.name} job may still be running; when it has ended, delete them with: portolan clean ${portal.name} --yes`,
    );
    return [`${portal.name}: kept for the ${mayRun.name} job`];
  }
  const known = work.packages.filter((each) => each.side === side).map((each) => each.itemId);
  try {
    const { left } = await writing('packages', portal.name).removePackages({
      runId: run.input.runId,
      portal,
      known,
      parts: run.packages.length,
      settled,
    });
    for (const each of left)
      run.warn(
        `a package is still on ${portal.name}: ${each}; delete it with: portolan clean ${portal.name} --yes`,
      );
    return left.map((each) => `${portal.name}: ${each}`);
  } catch (thrown) {
    run.warn(
      `packages may still be on ${portal.name}: ${errorRecordOf(thrown, route).message}; delete them with: portolan clean ${portal.name} --yes`,
    );
    return [`${portal.name}: perhaps packages`];
  }
}
