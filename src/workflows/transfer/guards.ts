import type { RestoreInput } from '../../model/run/snapshot-input';
import type { StillToCome } from '../../activities/transfer/guards';
import { type IntendedWrite, askedBy, writerOf } from '../../model/run/policy';
import type { GuardResult } from '../../model/run/guard';
import type { Look, Side } from '../../model/transfer/guard-steps';
import type { RunRoute } from '../../model/transfer/route';
import { reading } from '../run/activity-options';
import type { Facts } from '../run/facts';
import { refusal } from '../run/failure';
import type { TransferRun } from './transfer-run';

/** The results of preflight checks. */
export interface Looked {
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
  looks: { readonly [Each in L]: () => Promise<Looked> },
  isEnough: () => boolean = () => false,
): Promise<void> {
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

/**
 * Repeats preflight checks of the target if the run has waited since: for approval, a correction, a window or a slot.
 * Call before starting anything on the target.
 */
export async function recheckGuards(run: TransferRun, { name }: Facts['target']): Promise<void> {
  if (!run.hasWaited) return;
  pass(run, await lookAgain(run, run.ends, name));
  run.guardsAsked();
}

/** Repeats preflight checks of a target, also for a corrected route. */
export async function lookAgain(
  run: TransferRun,
  { target, options }: Pick<RunRoute, 'options'> & { readonly target: NonNullable<RunRoute['target']> },
  name: string,
): Promise<GuardResult[]> {
  return await reading(`preflight checks of ${name}, again`, name).askGuardsAgain({
    end: target,
    asked: asking(run),
    minBytes: options.limits.freeDiskBytes,
    still: remainingTargetUse(run),
  });
}

/** What the run is about to write, for the policy. */
export const asking = (run: TransferRun): IntendedWrite => ({
  ...askedBy(writerOf(run.kind.name, true), run.ends, promotedTo(run)),
  isApproved: run.facts.approved !== undefined || isWayBack(run),
});

/** The stage of the promotion this run belongs to. */
export const promotedTo = ({ input }: TransferRun): string | undefined =>
  (input as RestoreInput).promotion?.stage;

/** A promotion's own rollback is approved with it. */
const isWayBack = (run: TransferRun): boolean => run.kind.undoes === true && promotedTo(run) !== undefined;

/** Checks free space in a content store. On the target, includes what the run will still add. */
export async function lookAtDisk(run: TransferRun, side: Side): Promise<Looked> {
  const portal = run.need(side);
  const results = await reading(`free disk space on ${portal.name}`, portal.name).checkDisk({
    portal,
    minBytes: run.route.options.limits.freeDiskBytes,
    still: side === 'target' ? remainingTargetUse(run) : {},
  });
  return { results };
}

/** Checks the source or target group and stores its title. */
export async function lookAtGroup(run: TransferRun, side: Side): Promise<Looked> {
  const facts = run.need(side);
  const { groupId } = run.end(side);
  const { title, results } = await reading(`group on ${facts.name}`, facts.name).inspectGroup({
    facts,
    groupId,
  });
  return { results, keep: () => run.entitle({ [side]: title }) };
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
