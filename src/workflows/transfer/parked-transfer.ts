import { CancellationScope } from '@temporalio/workflow';
import { shortRunId } from '../../model/run/run-id';
import { bytesText } from '../../model/text/words';
import type { PhaseName } from '../../model/run/phase';
import type { ErrorRecord, RouteChange } from '../../model/run/run';
import { correctedRoute } from '../../model/run/run-input';
import { bestEffort } from '../run/activity-options';
import { requireFact } from '../run/memory';
import { findPackage } from './portal-job';
import type { AcceptedResume } from '../run/phase';
import { openJobs, sideOf } from '../run/portal-work';
import { inspectPortals, lookAgain, remainingTargetUse, throwRefusals } from './guards';
import type { RunPackage, TransferRun } from './transfer-run';

/** A parked run holds no slot, unless one of its jobs may still be running on the portal. */
export async function releaseSlots(run: TransferRun): Promise<void> {
  for (const name of ['export', 'safeguard', 'import'] as const)
    if (run.kind.sides?.includes(sideOf(name)) && !run.work.jobs[name])
      await run.portalQueues.leave(run.end(sideOf(name)), name === 'import' ? 'import' : 'export');
}

/** What a person should know besides the error, as far as it is readable now, and what is kept. */
export async function describeParked(
  run: TransferRun,
  error: ErrorRecord,
): Promise<{ evidence: string[]; held: string[] }> {
  const { work, route, facts } = run;
  const { target } = facts;
  const evidence: string[] = [];
  if (work.targetSeen !== undefined) evidence.push(work.targetSeen);
  const { begun } = work;
  evidence.push(begun === 0 ? 'no import has started' : `${begun} import${begun > 1 ? 's' : ''} so far`);
  for (const { name, jobId } of openJobs(work))
    evidence.push(
      `the ${name} job ${jobId ?? '(ID unknown)'} may still be running on ${run.end(sideOf(name)).portal}`,
    );
  if (target && error.origin !== 'config') {
    const { freeDiskBytes: minBytes } = route.options.limits;
    await CancellationScope.nonCancellable(() =>
      bestEffort('free disk space', target.name).checkDisk({
        portal: target,
        minBytes,
        still: remainingTargetUse(run),
      }),
    ).then(
      (results) => {
        for (const { name, saw, needs, verdict } of results)
          evidence.push(`${name}: ${saw}${verdict === 'refuse' ? `; needed: ${needs ?? ''}` : ''}`);
      },
      () => undefined,
    );
  }
  return { evidence, held: holdings(run) };
}

function holdings(run: TransferRun): string[] {
  const { work, packages, storedBytes, state, portalQueues } = run;
  const held = work.packages.map(({ side, itemId }) => `on ${run.end(side).portal}: package ${itemId}`);
  if (storedBytes !== undefined)
    held.push(`in the store: ${packagesText(packages.length)}, ${bytesText(storedBytes)}`);
  if (state.safeguard) held.push(`in the store: safeguard ${state.safeguard.id}`);
  held.push(...portalQueues.held.map((queueId) => `${queueId}, since a job may still run on the portal`));
  return held;
}

/**
 * Suggests a bisect if an import failed as a whole, because a resume would fail again. Not if each import needs its
 * own approval.
 */
export function suggests({ state, facts, route, kind, input }: TransferRun): string[] {
  const { importFailure, plan } = state;
  const approval = facts.ruling?.approval ?? route.options.approval;
  const isOne = plan !== undefined && plan.create + plan.overwrite < 2;
  if (importFailure === undefined || !kind.isReusable || approval === 'required' || isOne) return [];
  const yes = approval === 'ask' ? ' --yes' : '';
  return [`portolan run retry ${shortRunId(input.runId)} --bisect${yes}`];
}

const packagesText = (count: number): string => (count === 1 ? 'the package' : `${count} packages`);

/** What a resume reuses. */
export function reuses({ facts, state, packages, storedBytes }: TransferRun, from: PhaseName): string[] {
  const reused: string[] = [];
  const order = state.phases.map(({ name }) => name);
  const isDone = (phase: PhaseName): boolean => order.indexOf(phase) < order.indexOf(from);
  if (storedBytes !== undefined && isDone('download'))
    reused.push(`package in the store, ${bytesText(storedBytes)}`);
  for (const { onTarget, isImported } of packages)
    if (onTarget && !isImported && isDone('upload')) reused.push(`uploaded item ${onTarget}`);
  if (state.safeguard && facts.safeguarded) reused.push(`safeguard ${state.safeguard.id}`);
  return reused;
}

/** Repeats the relevant preflight checks with the corrections, and chooses the phase to resume with. */
export async function checkResume(
  run: TransferRun,
  set: RouteChange,
  from: PhaseName,
): Promise<AcceptedResume> {
  const route = correctedRoute(run.route, set);
  const { results, ruling: _, ...portals } = await inspectPortals(run, route);
  throwRefusals(results);
  const { target } = route;
  if (target) throwRefusals(await lookAgain(run, { ...route, target }, target.portal));
  const { phase, found } = await whereToGoOn(run, from);
  return {
    phase,
    accept() {
      run.learn(portals);
      if (run.toImport) Object.assign(run.toImport, found);
      run.correct(route, set);
      // A person has seen the result of the last import and accepts another.
      if (phase !== 'preview') return;
      run.work.jobs.import = undefined;
      if (run.work.begun > 0) run.work.round += 1;
    },
  };
}

/** After these errors an import may have ended unseen. */
const unseenEnd: ReadonlySet<string> = new Set(['IMPORT_UNDECIDED', 'JOB_LOST']);

/**
 * If the package is gone from the target, an import whose response was lost has run. Without such an import, the
 * package was deleted and is uploaded again.
 */
async function whereToGoOn(
  run: TransferRun,
  phase: PhaseName,
): Promise<{ phase: PhaseName; found?: Partial<RunPackage> }> {
  const { toImport } = run;
  if (phase !== 'preview' || !toImport) return { phase };
  const { isThere } = await findPackage(run, 'target', requireFact(toImport, 'onTarget'));
  if (isThere) return { phase };
  if (!unseenEnd.has(run.state.parked?.code ?? ''))
    return { phase: 'upload', found: { onTarget: undefined } };
  return { phase: 'wait-import', found: { importStarted: { kind: 'ended', lists: 'unknown' } } };
}
