import type { OpenSnapshot } from '../../activities/snapshot/restores';
import { askedBy } from '../../model/run/policy';
import { guardSteps } from '../../model/transfer/guard-steps';
import { countOf } from '../../model/text/words';
import { reading, sweeping, transferring } from '../run/activity-options';
import type { Phase } from '../run/phase';
import { lookAtDisk, lookAtGroup, promotedTo, walkGuards } from '../transfer/guards';
import type { TransferRun } from '../transfer/transfer-run';

type Desired = Pick<OpenSnapshot, 'snapshotId' | 'purpose' | 'putRight'>;

/** Runs the preflight checks of a restore or drill. Reads the whole snapshot. */
export const guardTarget = ({ snapshotId, purpose, putRight }: Desired): Phase<TransferRun> => ({
  name: 'guard',
  async run(run) {
    const route = run.ends;
    const { runId } = run.input;
    await walkGuards(run, guardSteps[purpose], {
      portals: async () => {
        const end = {
          end: route.target,
          side: 'target',
          asked: askedBy(purpose, route, promotedTo(run)),
        } as const;
        const { facts, ruling, results } = await reading(
          `portal ${route.target.portal}`,
          route.target.portal,
        ).inspectEnd(end);
        return { results, keep: () => run.learn({ target: facts, ruling }) };
      },
      'target group': () => lookAtGroup(run, 'target'),
      snapshot: async () => {
        const target = run.need('target');
        const opened = await sweeping(`snapshot ${snapshotId ?? 'last good'}`, target.name).openSnapshot({
          runId,
          route,
          target,
          snapshotId,
          purpose,
          ...(putRight && { putRight }),
        });
        const { results, source, requested, copies, id, packages, groupTitle } = opened;
        return {
          results,
          keep() {
            run.entitle({ source: groupTitle });
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
      'target disk': () => lookAtDisk(run, 'target'),
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
