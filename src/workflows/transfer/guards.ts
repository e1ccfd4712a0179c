import type { RestoreInput, BackupInput } from '../../model/run/run-input';
import type { StillToCome } from '../../activities/transfer/guards';
import { type IntendedWrite, askedBy, writerOf } from '../../model/run/policy';
import type { GuardResult } from '../../model/run/run';
import { type Look, type Side, guardSteps } from '../../model/transfer/guard-steps';
import { type RunRoute, isChosen } from '../../model/transfer/route';
import { reading, sweeping, transferring } from '../run/activity-options';
import type { Facts } from '../run/memory';
import { refusal } from '../run/failure';
import { type TransferRun, newPackages } from './transfer-run';
import { countOf } from '../../model/text/words';
import type { Phase } from '../run/phase';
import type { OpenSnapshot } from '../../activities/snapshot/restores';

/** The results of preflight checks. */
interface Looked {
  readonly results: GuardResult[];
  /** Stores facts, once every check of the step has passed. */
  keep?(): void;
}

/**
 * Runs the preflight checks step by step; those of one step run at once and report all failures together. `isEnough`
 * ends them early if nothing is left to check.
 */
export async function walkGuards<const L extends Look>(
  run: TransferRun,
  steps: readonly (readonly L[])[],
  own: { readonly [Each in Exclude<L, CommonLook>]: () => Promise<Looked> },
  isEnough: () => boolean = () => false,
): Promise<void> {
  const looks = { ...commonLooks(run), ...own } as { readonly [Each in L]: () => Promise<Looked> };
  for (const step of steps) {
    const looked = await Promise.all(step.map((look) => looks[look]()));
    pass(
      run,
      looked.flatMap(({ results }) => results),
    );
    for (const each of looked) each.keep?.();
    if (isEnough()) return;
  }
}

/** The checks that are the same in every kind of run. */
const commonLooks = (run: TransferRun) => ({
  'source group': () => lookAtGroup(run, 'source'),
  'target group': () => lookAtGroup(run, 'target'),
  'source disk': () => lookAtDisk(run, 'source'),
  'target disk': () => lookAtDisk(run, 'target'),
  store: () => lookAtStore(run),
});
type CommonLook = keyof ReturnType<typeof commonLooks>;

/** Checks the portals of a run. @param asked what it is about to write, if it has only one */
export async function lookAtPortals(run: TransferRun, asked?: IntendedWrite): Promise<Looked> {
  const { results, ...found } = await inspectPortals(run, run.route, asked);
  return { results, keep: () => run.learn(found) };
}

/** Reads the portals of a run, also for a corrected route. */
export async function inspectPortals(
  { kind: { sides } }: TransferRun,
  { target, ...route }: RunRoute,
  asked?: IntendedWrite,
): Promise<Pick<Partial<Facts>, Side | 'ruling'> & { readonly results: GuardResult[] }> {
  const { source } = route;
  if (target && sides?.includes('source'))
    return await reading(`portals ${source.portal} and ${target.portal}`, target.portal).inspectPortals({
      ...route,
      target,
    });
  const [end, side] = target ? ([target, 'target'] as const) : ([source, 'source'] as const);
  const { facts, ...found } = await reading('portal', end.portal).inspectEnd({ end, side, asked });
  return { ...found, [side]: facts };
}

/**
 * Repeats preflight checks of the target if the run has waited since: for approval, a correction, a window or a slot.
 * Call before starting anything on the target.
 */
export async function recheckGuards(run: TransferRun, { name }: Facts['target']): Promise<void> {
  if (!run.memory.hasWaited) return;
  pass(run, await lookAgain(run, run.fullRoute, name));
  run.memory.hasWaited = false;
}

/** Repeats preflight checks of a target, also for a corrected route. */
export async function lookAgain(
  run: TransferRun,
  { target, options }: Pick<RunRoute, 'options'> & { readonly target: NonNullable<RunRoute['target']> },
  name: string,
): Promise<GuardResult[]> {
  return await reading('preflight checks, again', name).askGuardsAgain({
    end: target,
    asked: intendedWriteOf(run),
    minBytes: options.limits.freeDiskBytes,
    still: remainingTargetUse(run),
  });
}

/** What the run is about to write, for the policy. */
export const intendedWriteOf = (run: TransferRun): IntendedWrite => ({
  ...askedBy(writerOf(run.kind.name, true), run.fullRoute, promotedTo(run)),
  isApproved: run.facts.approved !== undefined || isWayBack(run),
});

/** The stage of the promotion this run belongs to. */
export const promotedTo = ({ input }: TransferRun): string | undefined =>
  (input as RestoreInput).promotion?.stage;

/** A promotion's own rollback is approved with it. */
const isWayBack = (run: TransferRun): boolean => run.kind.undoes === true && promotedTo(run) !== undefined;

/** Checks free space in a content store. On the target, includes what the run will still add. */
async function lookAtDisk(run: TransferRun, side: Side): Promise<Looked> {
  const portal = run.need(side);
  const results = await reading('free disk space', portal.name).checkDisk({
    portal,
    minBytes: run.route.options.limits.freeDiskBytes,
    still: side === 'target' ? remainingTargetUse(run) : {},
  });
  return { results };
}

/** Checks the source or target group and stores its title. */
async function lookAtGroup(run: TransferRun, side: Side): Promise<Looked> {
  const facts = run.need(side);
  const { groupId } = run.end(side);
  const { title, results } = await reading('group', facts.name).inspectGroup({
    facts,
    groupId,
  });
  return { results, keep: () => run.recordGroupTitles({ [side]: title }) };
}

/** What the run will still add to its target, as far as known. */
export function remainingTargetUse({ facts, storedBytes: bytes }: TransferRun): StillToCome {
  const { plan, requested, safeguarded } = facts;
  if (plan && bytes !== undefined)
    return { plan: { ref: plan.ref, packageBytes: bytes, isSaved: safeguarded === plan.sha256 } };
  // A package is about as large as its items, which are mostly compressed.
  return { upload: bytes ?? requested?.knownBytes };
}

/** Records results, replacing earlier ones of the same checks. Throws what is refused. */
function pass(run: TransferRun, results: readonly GuardResult[]): void {
  const names = new Set(results.map(({ name }) => name));
  const earlier = (run.state.guards ?? []).filter(({ name }) => !names.has(name));
  run.show({ guards: [...earlier, ...results] });
  for (const { name, saw, verdict } of results) if (verdict === 'unknown') run.warn(`${name}: ${saw}`);
  throwRefusals(results);
}

/** Throws all refused checks at once, with the code of the first. */
export function throwRefusals(results: readonly GuardResult[]): void {
  const refused = results.filter((result) => result.verdict === 'refuse');
  const [first] = refused;
  if (!first) return;
  const message = refused
    .map((result) => `${result.name}: ${result.saw}; needed: ${result.needs ?? 'this check must pass'}`)
    .join('\n');
  throw refusal(first.code ?? 'INTERNAL', message, first.todo);
}

/** Runs the preflight checks of a sync. Writes nothing. */
export const guard: Phase<TransferRun> = {
  name: 'guard',
  async run(run) {
    const isEmpty = (): boolean => run.facts.requested?.count === 0;
    await walkGuards(
      run,
      guardSteps.sync,
      {
        portals: () => lookAtPortals(run),
        items: () => lookAtItems(run, { target: run.input.reuse ? undefined : run.facts.target }),
        references: async () => {
          const source = run.need('source');
          const calls = sweeping('references', run.need('target').name);
          return { results: await calls.checkReferences({ ...run.onTarget, source }) };
        },
      },
      () => isEmpty() || run.isUntouched,
    );
    if (isEmpty()) return { detail: 'the source group is empty', then: 'end' };
    const { source, target, requested } = run.facts;
    if (run.isUntouched)
      return { detail: `unchanged: ${countOf(requested?.same ?? 0, 'item')}`, then: 'end' };
    const versions = `${source?.release?.text ?? '?'} -> ${target?.release?.text ?? '?'}`;
    const { same = 0, whole } = run.need('requested');
    const stay = same > 0 ? `, ${same} unchanged` : whole ? `, full sync: ${whole}` : '';
    const packages = await splitOverLimit(run);
    return { detail: `${versions}, ${countOf(requested?.count ?? 0, 'item')}${stay}${packages}` };
  },
};

/** Lists all items of the source group. */
async function lookAtItems(
  run: TransferRun,
  more: { readonly target?: Facts['target']; readonly isFull?: boolean },
): Promise<Looked> {
  const { route } = run;
  const source = run.need('source');
  const { results, lastRequested, ...requested } = await sweeping(
    'items of the group',
    source.name,
  ).listRequested({
    runId: run.input.runId,
    route,
    source,
    ...more,
  });
  return {
    results,
    keep: () => run.learn({ requested, shrunk: hasShrunk(run, requested.inGroup, lastRequested) }),
  };
}

/** Splits the items into several packages if their known size exceeds the limit. @returns text for the phase detail */
async function splitOverLimit(run: TransferRun): Promise<string> {
  const { isOverLimit } = run.need('requested');
  const split = () =>
    sweeping('split the items into packages', run.route.source.portal).splitRequested({
      runId: run.input.runId,
      route: run.route,
    });
  const { parts } = isOverLimit ? await split() : { parts: 1 };
  run.packages = newPackages(parts);
  return parts > 1 ? `, in ${parts} packages` : '';
}

/** Checks free disk space in the store. A package is about as large as its items, which are mostly compressed. */
async function lookAtStore(run: TransferRun): Promise<Looked> {
  const { knownBytes: neededBytes } = run.need('requested');
  return { results: await reading('free disk space in the store').checkStore({ neededBytes }) };
}

/** A group that shrank by more than half is more likely a mistake on the source than intended. */
function hasShrunk(run: TransferRun, now: number, before: number | undefined): boolean {
  if (before === undefined || now * 2 >= before || isChosen(run.route.options)) return false;
  run.warn(`the source group has ${countOf(now, 'item')}, but had ${before} at the last run of this route`);
  return !run.route.options.allowShrink;
}

/** Runs the preflight checks of a backup and compares the group with its last snapshot. */
export const guardSource = ({ force, fullEveryMs, placements }: BackupInput): Phase<TransferRun> => ({
  name: 'guard',
  async run(run) {
    const { route, input } = run;
    const isEmpty = (): boolean => run.facts.requested?.count === 0;
    await walkGuards(
      run,
      guardSteps.backup,
      {
        portals: () => lookAtPortals(run),
        items: () => lookAtItems(run, { isFull: force || undefined }),
      },
      isEmpty,
    );
    if (isEmpty()) return { detail: 'the group is empty', then: 'end' };

    const source = run.need('source');
    const { shrunk } = run.facts;
    const requested = run.need('requested');
    const { runId } = input;
    const seen = await sweeping('changes in the group', source.name).readGroupNow({
      runId,
      route,
      source,
      fullEveryMs: force || shrunk ? undefined : fullEveryMs,
      ...(placements && { placements, isKept: force || shrunk || undefined }),
    });
    run.learn({ rowsRead: true });
    if (seen.same && !force && !shrunk) {
      run.show({ snapshot: { ...seen.snapshot, unchanged: true } });
      return { detail: `unchanged since snapshot ${seen.snapshot.id}`, then: 'end' };
    }
    const why = seen.same ? 'exported anyway, as requested' : seen.because;
    const { stays = 0, whole = undefined } = seen.same ? {} : seen;
    if (stays > 0) run.learn({ requested: { ...requested, same: stays } });
    const how = stays > 0 ? `, ${stays} unchanged` : whole ? `, full backup: ${whole}` : '';
    const packages = await splitOverLimit(run);
    const of = `${source.release?.text ?? '?'}, ${countOf(requested.count, 'item')}${how}${packages}`;
    return { detail: `${of}; ${why}` };
  },
});

type Desired = Pick<OpenSnapshot, 'snapshotId' | 'purpose' | 'placementRules'>;

/** Runs the preflight checks of a restore or drill. Reads the whole snapshot. */
export const guardTarget = ({ snapshotId, purpose, placementRules }: Desired): Phase<TransferRun> => ({
  name: 'guard',
  async run(run) {
    const route = run.fullRoute;
    await walkGuards(run, guardSteps[purpose], {
      portals: () => lookAtPortals(run, askedBy(purpose, route, promotedTo(run))),
      snapshot: async () => {
        const opened = await sweeping(
          `snapshot ${snapshotId ?? 'last good'}`,
          route.target.portal,
        ).openSnapshot({
          ...run.onTarget,
          snapshotId,
          purpose,
          placementRules,
        });
        const { results, source, requested, copies, id, packages, groupTitle } = opened;
        return {
          results,
          keep() {
            run.recordGroupTitles({ source: groupTitle });
            // A resume comes here if a package is missing from the store: what is imported stays imported.
            run.packages = packages.map((stored, index) => {
              const before = run.packages[index];
              const onTarget = before?.isImported ? before.onTarget : undefined;
              return { round: 1, ...before, index, stored, onTarget };
            });
            run.learn({ source, requested, copies, snapshotId: id });
          },
        };
      },
    });

    const { storedBytes: sizeBytes } = run;
    const stored = run.packages.flatMap((each) => each.stored ?? []);
    const [{ sha256 } = {}] = stored;
    const requested = run.need('requested');
    const source = run.need('source');
    const id = run.need('snapshotId');
    const items = requested.count - requested.skipped;
    run.show({ snapshot: { id, sha256, sizeBytes, items } });
    for (const each of stored) await transferring('stored package', run.transferQueue).checkStored(each);
    if (sizeBytes !== undefined && sha256 !== undefined)
      run.show({ package: { sizeBytes, sha256, parts: stored.length, sourceVersion: source.version } });
    const versions = `${source.release?.text ?? '?'} -> ${run.facts.target?.release?.text ?? '?'}`;
    return { detail: `${versions}, ${countOf(items, 'item')} of snapshot ${id}` };
  },
});
