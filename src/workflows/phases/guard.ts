import type { GuardResult } from '../../model/run/guard';
import { isChosen } from '../../model/transfer/route';
import { reading, sweeping } from '../run/calls';
import { refusal } from '../run/failure';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';

/** Everything that must be so before anything is written. Refusals are told all at once, not one a run. */
export const guard = phase({
  name: 'guard',
  gives: ['source', 'target', 'requested', 'shrunk'],
  async run(run: TransferRun, _found, give): Promise<PhaseEnd> {
    const route = run.ends;
    const portals = reading('both portals').inspectPortals(route);
    await passAll(run, [portals.then(({ results }) => results)]);
    const { source, target } = await portals;
    if (!source || !target) throw refusal('INTERNAL', 'the portals were not told');
    give({ source, target });

    const groups = Promise.all([
      reading(`group on ${source.name}`).inspectGroup({ facts: source, groupId: route.source.groupId }),
      reading(`group on ${target.name}`).inspectGroup({ facts: target, groupId: route.target.groupId }),
    ]).then(([from, to]) => {
      run.entitle({ source: from.title, target: to.title });
      return [...from.results, ...to.results];
    });
    await passAll(run, [groups]);

    const minBytes = route.options.limits.freeDiskBytes;
    const { runId } = run.input;
    const listed = sweeping('the source group').listRequested({ runId, route, source });
    const disks = [source, target].map((portal) =>
      reading(`disk on ${portal.name}`).checkDisk({ portal, minBytes }),
    );
    await passAll(run, [listed.then(({ results }) => results), ...disks]);
    const { results: _, lastRequested, ...requested } = await listed;
    give({ requested, shrunk: hasShrunk(run, requested.inGroup, lastRequested) });
    if (requested.count === 0) return { detail: 'the source group holds no item', then: 'end' };

    await passAll(run, [
      // A package of compressed files and services weighs about what its items weigh.
      reading('room in the store').checkStore({ neededBytes: requested.knownBytes }),
      sweeping('references').checkReferences({ runId, route, source, target }),
    ]);
    const versions = `${source.release?.text ?? '?'} -> ${target.release?.text ?? '?'}`;
    return { detail: `${versions}, ${requested.count} items` };
  },
});

/** Waits for guards that run side by side; their answers go into the record, and a refusal ends the run. */
export async function passAll(run: TransferRun, guards: readonly Promise<GuardResult[]>[]): Promise<void> {
  const results = (await Promise.all(guards)).flat();
  run.show({ guards: [...(run.state.guards ?? []), ...results] });
  for (const result of results) if (result.verdict === 'unknown') run.warn(`${result.name}: ${result.saw}`);
  throwRefusals(results);
}

/** Throws what is refused, all of it at once, with the code of the first. */
export function throwRefusals(results: readonly GuardResult[]): void {
  const refused = results.filter((result) => result.verdict === 'refuse');
  const [first] = refused;
  if (!first) return;
  const message = refused
    .map((result) => `${result.name}: ${result.saw}; needed: ${result.needs ?? 'that it passes'}`)
    .join('\n');
  throw refusal(first.code ?? 'INTERNAL', message, first.todo);
}

/** A group that suddenly is half empty is more often a mistake on the source than the wish to sync that. */
export function hasShrunk(run: TransferRun, now: number, before: number | undefined): boolean {
  if (before === undefined || now * 2 >= before || isChosen(run.route.options)) return false;
  run.warn(`the source group holds ${now} items, ${before} at the last run of this route`);
  return !run.route.options.allowShrink;
}
