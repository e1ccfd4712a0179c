import type { RestoreInput } from '../../model/run/snapshot-input';
import type { StillToCome } from '../../activities/transfer/recheck-guards';
import { type IntendedWrite, askedBy, writerOf } from '../../model/run/policy';
import type { GuardResult } from '../../model/run/guard';
import type { Look, Side } from '../../model/transfer/guard-steps';
import type { RunRoute } from '../../model/transfer/route';
import { planIdentity } from '../../model/transfer/plan-hash';
import { reading } from '../run/activity-options';
import { type Facts, known } from '../run/facts';
import { refusal } from '../run/failure';
import type { TransferRun } from './transfer-run';

/** What was read of a subject, and what its guards say of it. */
export interface Looked {
  readonly results: GuardResult[];
  /** Keeps what was found out, once every guard of the step has passed it. */
  keep?(): void;
}

/**
 * Walks the steps in which a run's guards are asked: side by side within one. What is refused in a step ends the run,
 * told all at once and not one a run. `isEnough` ends the walk early where there is nothing left to ask for.
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
 * Asks the target once more what may have become another answer, where somebody was waited for since it was asked
 * last: for a yes, for a correction, or for a slot. Right before something is begun on the target.
 */
export async function recheckGuards(run: TransferRun, { name }: Facts['target']): Promise<void> {
  if (!run.hasWaited) return;
  pass(run, await lookAgain(run, run.ends, name));
  run.guardsAsked();
}

/** The same, for a route as a person corrects it. */
export async function lookAgain(
  run: TransferRun,
  { target, options }: Pick<RunRoute, 'options'> & { readonly target: NonNullable<RunRoute['target']> },
  name: string,
): Promise<GuardResult[]> {
  return await reading('preflight checks, again', name).askGuardsAgain({
    end: target,
    asked: asking(run),
    minBytes: options.limits.freeDiskBytes,
    still: remainingTargetUse(run),
  });
}

/** What the run is about to write, as the policy is asked for it. */
export const asking = (run: TransferRun): IntendedWrite => ({
  ...askedBy(writerOf(run.kind.name, true), run.ends, promotedTo(run)),
  isApproved: run.facts.approved !== undefined || isWayBack(run),
});

/** The stage into which it brings a group of a promotion, or back from which it takes one. */
export const promotedTo = ({ input }: TransferRun): string | undefined =>
  (input as RestoreInput).promotion?.stage;

/** A promotion's own way back is approved with it. */
const isWayBack = (run: TransferRun): boolean => run.kind.undoes === true && promotedTo(run) !== undefined;

/** Room in a content store: on the target also for what the run will put there. */
export async function lookAtDisk(run: TransferRun, side: Side): Promise<Looked> {
  const portal = known(run.facts, side);
  const results = await reading('disk', portal.name).checkDisk({
    portal,
    minBytes: run.route.options.limits.freeDiskBytes,
    still: side === 'target' ? remainingTargetUse(run) : {},
  });
  return { results };
}

/** The group at one end; its title is noted. */
export async function lookAtGroup(run: TransferRun, side: Side): Promise<Looked> {
  const facts = known(run.facts, side);
  const { groupId } = run.end(side);
  const { title, results } = await reading('group', facts.name).inspectGroup({ facts, groupId });
  return { results, keep: () => run.entitle({ [side]: title }) };
}

/** What the run will still put on its target, as far as it is known. */
export function remainingTargetUse({ facts, packages }: TransferRun): StillToCome {
  const { plan, package: stored, requested, safeguarded } = facts;
  const bytes = packages.bytes || stored?.sizeBytes;
  if (plan && bytes !== undefined)
    return { plan: { ref: plan.ref, packageBytes: bytes, isSaved: safeguarded === planIdentity(plan) } };
  // A package of compressed files and services weighs about what its items weigh.
  return { upload: bytes ?? requested?.knownBytes };
}

/** Answers go into the record, each in the place of an earlier one of the same guard; what is refused is thrown. */
function pass(run: TransferRun, results: readonly GuardResult[]): void {
  const names = new Set(results.map(({ name }) => name));
  const earlier = (run.state.guards ?? []).filter(({ name }) => !names.has(name));
  run.show({ guards: [...earlier, ...results] });
  for (const { name, saw, verdict } of results) if (verdict === 'unknown') run.warn(`${name}: ${saw}`);
  throwRefusals(results);
}

/** Throws what is refused, all of it at once, with the code of the first. */
export function throwRefusals(results: readonly GuardResult[]): void {
  const refused = results.filter((result) => result.verdict === 'refuse');
  const [first] = refused;
  if (!first) return;
  const message = refused
    .map((result) => `${result.name}: ${result.saw}; needed: ${result.needs ?? 'this check must pass'}`)
    .join('\n');
  throw refusal(first.code ?? 'INTERNAL', message, first.todo);
}
