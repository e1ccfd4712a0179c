import { correctedRoute } from '../../model/transfer/corrected-route';
import type { PhaseName } from '../../model/run/phase';
import type { RunRoute } from '../../model/transfer/route';
import type { Resume, RouteChange } from '../../model/run/run-input';
import { reading } from './calls';
import { have } from './context';
import { refusal, refuse } from './failure';
import { goesOnWith } from './parked-phases';
import { throwRefusals } from '../phases/guard';
import { noteOver } from '../phases/portal-job';
import type { Run } from './run';

/** After these an import may have come to its end without anybody having seen it. */
const unseenEnd: ReadonlySet<string> = new Set(['IMPORT_UNDECIDED', 'JOB_LOST']);

/**
 * Takes a parked run up again. The facts are looked at anew, with the corrections, before anything changes: what
 * they refuse is told to whoever typed it, and the run stays as it was.
 */
export async function takeUp(run: Run, { who, reason, set = {} }: Resume): Promise<string> {
  const { parked } = run.state;
  if (!parked) throw refuse('the run is not parked');
  run.answers.resuming = true;
  try {
    const route = correctedRoute(run.route, set);
    const facts = await lookAgain(run, route);
    const phase = await whereToGoOn(run, parked.phase, parked.code);
    // It may have been cancelled or superseded while the portals were asked.
    if (run.state.parked !== parked) throw refuse('the run is no longer parked');
    Object.assign(run.context, facts);
    run.route = route;
    if (Object.keys(set).length > 0) run.state.corrected = { ...run.state.corrected, ...set };
    run.act(who, `resume${setWords(set)}`, reason);
    if (phase === 'preview') newImport(run);
    run.context.patienceSince = Date.now();
    run.answers.goOnWith = phase;
    return `goes on with ${phase}`;
  } catch (thrown) {
    parked.refusals += 1;
    // A run that goes on writes its record itself: two writes side by side would leave it to chance which one stays.
    await run.save();
    throw thrown;
  } finally {
    run.answers.resuming = false;
  }
}

/** The guards that concern what is still to be done. */
async function lookAgain(run: Run, route: RunRoute): Promise<Pick<Run['context'], 'source' | 'target'>> {
  const facts = await inspectAgain(run, route);
  const { target } = facts;
  if (!target || !route.target) return facts;
  const [group, disk] = await Promise.all([
    reading(`group on ${target.name}, again`).inspectGroup({ facts: target, groupId: route.target.groupId }),
    reading(`disk on ${target.name}, again`).checkDisk({
      portal: target,
      minBytes: route.options.limits.freeDiskBytes,
    }),
  ]);
  throwRefusals([...group.results, ...disk]);
  return facts;
}

/** Portals that a run of this kind works with: a restore only remembers where its snapshot came from. */
async function inspectAgain(
  { state: { kind } }: Run,
  { target: to, ...route }: RunRoute,
): Promise<Pick<Run['context'], 'source' | 'target'>> {
  if (kind === 'sync' && to) {
    const both = await reading('both portals, again').inspectPortals({ ...route, target: to });
    throwRefusals(both.results);
    const { source, target } = both;
    if (!source || !target) throw refusal('INTERNAL', 'the portals were not told');
    return { source, target };
  }
  const one = await reading('the portal, again').inspectEnd(
    to ? { end: to, side: 'target' } : { end: route.source, side: 'source' },
  );
  throwRefusals(one.results);
  return to ? { target: one.facts } : { source: one.facts };
}

/** Somebody has looked at what an earlier import came to, and decides that there may be another one. */
function newImport(run: Run): void {
  noteOver(run, { name: 'import', side: 'target' });
  if (run.context.importPosted) run.context.importRound += 1;
}

/**
 * Where the package is gone from the target, an import whose answer was lost has been carried out; without one it
 * was removed, and comes once more.
 */
async function whereToGoOn(run: Run, parkedIn: PhaseName, code: string): Promise<PhaseName> {
  const phase = goesOnWith(run, parkedIn, code);
  const { context } = run;
  if (phase !== 'preview') return phase;
  const target = have(context, 'target');
  const itemId = have(context, 'targetPackage');
  const { isThere } = await reading(`package on ${target.name}`).findPackage({ portal: target, itemId });
  if (isThere) return 'preview';
  if (!unseenEnd.has(code)) return 'upload';
  context.importStarted = { kind: 'ended', lists: 'unknown' };
  return 'wait-import';
}

/** Settings under the names that people type. */
const settingNames: Readonly<Record<string, string>> = {
  folderId: 'target.folder',
  folderOwner: 'target.folderOwner',
  jobDeadlineMs: 'jobDeadline',
  freeDiskBytes: 'limits.freeDiskBytes',
};

/** ` with target.folder=…`, for the record. */
function setWords(set: RouteChange): string {
  const words = Object.entries(set).map(([name, value]) => `${settingNames[name] ?? name}=${value ?? ''}`);
  return words.length > 0 ? ` with ${words.join(', ')}` : '';
}
