import type { BackupInput } from '../../model/run/snapshot-input';
import { guardSteps } from '../../model/transfer/guard-steps';
import { countOf } from '../../model/text/words';
import { reading, sweeping } from '../run/activity-options';
import type { Phase } from '../run/phase';
import { lookAtDisk, lookAtGroup, walkGuards } from '../transfer/guards';
import type { TransferRun } from '../transfer/transfer-run';
import { lookAtItems, lookAtStore, splitOverLimit } from './guard';

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
        portals: async () => {
          const end = { end: route.source, side: 'source' } as const;
          const { facts, results } = await reading(
            `portal ${route.source.portal}`,
            route.source.portal,
          ).inspectEnd(end);
          return { results, keep: () => run.learn({ source: facts }) };
        },
        'source group': () => lookAtGroup(run, 'source'),
        'source disk': () => lookAtDisk(run, 'source'),
        items: () => lookAtItems(run, { isFull: force || undefined }),
        store: () => lookAtStore(run),
      },
      isEmpty,
    );
    if (isEmpty()) return { detail: 'the group is empty', then: 'end' };

    const source = run.need('source');
    const { shrunk } = run.facts;
    const requested = run.need('requested');
    const { runId } = input;
    const seen = await sweeping(`changes in the group on ${source.name}`, source.name).readGroupNow({
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
