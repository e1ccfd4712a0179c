import { isCancellation, CancellationScope } from '@temporalio/workflow';
import type { RunStatus, PhaseName } from '../../model/run/phase';
import { type RunInput, correctedRoute } from '../../model/run/run-input';
import { openCount } from '../../model/transfer/ledger-lists';
import { cleanup } from './cleanup';
import { observe } from '../observers/observers';
import { defineRun } from '../run/run-to-end';
import type { Kind, Phase, AcceptedResume } from '../run/phase';
import { finishResults } from './results';
import { settleJobs, findPackage } from './portal-job';
import { TransferRun, type RunPackage } from './transfer-run';
import { shortRunId } from '../../model/run/run-id';
import { bytesText } from '../../model/text/words';
import type { ErrorRecord, RouteChange } from '../../model/run/run';
import { bestEffort } from '../run/activity-options';
import { requireFact, openJobs, sideOf } from '../run/memory';
import { inspectPortals, lookAgain, remainingTargetUse, throwRefusals } from './guards';

/** Makes the workflow of a kind of run that transfers a group's content, with the defaults of a sync. */
export const defineTransfer = <Input extends RunInput>(
  kind: Pick<Kind<TransferRun>, 'name' | 'sides'> & Partial<Kind<TransferRun>>,
  phases: (input: Input) => readonly Phase<TransferRun>[],
) =>
  defineRun<Input, TransferRun>(
    {
      parks: true,
      notifies: true,
      first: ({ route }) => ({ packages: [], route, planNames: {} }),
      last: cleanup,
      verdict: verdictOfImport,
      settle,
      describeParked,
      suggests,
      reuses,
      checkResume,
      releaseSlots,
      ...kind,
    },
    TransferRun,
    phases,
  );

/** Waits for its portal jobs, leaves its portal queues and completes its results. */
async function settle(run: TransferRun, thrown: unknown): Promise<void> {
  await settleJobs(run, isCancellation(thrown));
  await observe('imported', run);
  await run.portalQueues.leaveAll();
  await finishResults(run, thrown !== undefined);
}

function verdictOfImport({ state, facts, route }: TransferRun): RunStatus {
  if (route.options.planOnly && state.plan) return 'succeeded';
  const { items, verification } = state;
  const open = openCount(items) + (verification?.findings ?? 0) + (facts.notSaved ?? 0);
  if (open > 0 || facts.shrunk) return 'partial';
  return (items?.imported ?? 0) > 0 || (state.created?.removed.length ?? 0) > 0
    ? 'succeeded'
    : 'nothing-to-do';
}

/** A parked run holds no slot, unless one of its jobs may still be running on the portal. */
async function releaseSlots(run: TransferRun): Promise<void> {
  for (const name of ['export', 'safeguard', 'import'] as const)
    if (run.kind.sides?.includes(sideOf(name)) && !run.work.jobs[name])
      await run.portalQueues.leave(run.end(sideOf(name)), name === 'import' ? 'import' : 'export');
}

/** What a person should know besides the error, as far as it is readable now, and what is kept. */
async function describeParked(
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
function suggests({ state, facts, route, kind, input }: TransferRun): string[] {
  const { importFailure, plan } = state;
  const approval = facts.ruling?.approval ?? route.options.approval;
  const isOne = plan !== undefined && plan.create + plan.overwrite < 2;
  if (importFailure === undefined || !kind.isReusable || approval === 'required' || isOne) return [];
  const yes = approval === 'ask' ? ' --yes' : '';
  return [`portolan run retry ${shortRunId(input.runId)} --bisect${yes}`];
}

const packagesText = (count: number): string => (count === 1 ? 'the package' : `${count} packages`);

/** What a resume reuses. */
function reuses({ facts, state, packages, storedBytes }: TransferRun, from: PhaseName): string[] {
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
async function checkResume(run: TransferRun, set: RouteChange, from: PhaseName): Promise<AcceptedResume> {
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
