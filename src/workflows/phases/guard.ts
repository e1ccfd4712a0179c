import { guardSteps } from '../../model/transfer/guard-steps';
import { isChosen } from '../../model/transfer/route';
import { countOf } from '../../model/text/words';
import { reading, sweeping } from '../run/activity-options';
import type { Facts } from '../run/facts';
import type { Phase } from '../run/phase';
import { lookAtDisk, lookAtGroup, type Looked, walkGuards } from '../transfer/guards';
import { newPackages } from '../transfer/packages';
import type { TransferRun } from '../transfer/transfer-run';

/** Runs the preflight checks of a sync. Writes nothing. */
export const guard: Phase<TransferRun> = {
  name: 'guard',
  async run(run) {
    const route = run.ends;
    const { runId } = run.input;
    const isEmpty = (): boolean => run.facts.requested?.count === 0;
    await walkGuards(
      run,
      guardSteps.sync,
      {
        portals: async () => {
          const { results, ...found } = await reading(
            `portals ${route.source.portal} and ${route.target.portal}`,
            route.target.portal,
          ).inspectPortals(route);
          return { results, keep: () => run.learn(found) };
        },
        'source group': () => lookAtGroup(run, 'source'),
        'target group': () => lookAtGroup(run, 'target'),
        'source disk': () => lookAtDisk(run, 'source'),
        'target disk': () => lookAtDisk(run, 'target'),
        items: () => lookAtItems(run, { target: run.input.reuse ? undefined : run.facts.target }),
        store: () => lookAtStore(run),
        references: async () => {
          const [source, target] = [run.need('source'), run.need('target')];
          return {
            results: await sweeping('references', target.name).checkReferences({
              runId,
              route,
              source,
              target,
            }),
          };
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
export async function lookAtItems(
  run: TransferRun,
  more: { readonly target?: Facts['target']; readonly isFull?: boolean },
): Promise<Looked> {
  const { route } = run;
  const source = run.need('source');
  const { results, lastRequested, ...requested } = await sweeping(
    `items of the group on ${source.name}`,
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
export async function splitOverLimit(run: TransferRun): Promise<string> {
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
export async function lookAtStore(run: TransferRun): Promise<Looked> {
  const { knownBytes: neededBytes } = run.need('requested');
  return { results: await reading('free disk space in the store').checkStore({ neededBytes }) };
}

/** A group that shrank by more than half is more likely a mistake on the source than intended. */
function hasShrunk(run: TransferRun, now: number, before: number | undefined): boolean {
  if (before === undefined || now * 2 >= before || isChosen(run.route.options)) return false;
  run.warn(`the source group has ${countOf(now, 'item')}, but had ${before} at the last run of this route`);
  return !run.route.options.allowShrink;
}
