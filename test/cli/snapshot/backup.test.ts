import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../../src/model/run/run';
import { shortRunId } from '../../../src/model/run/run-id';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import { freeServerPort } from '../../support/free-port';
import { BackupRehearsal } from '../../support/backup-rehearsal';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { until } from '../../support/until';
import { itLong } from '../../support/long';
import { recordOf } from '../../support/json';

let at: BackupRehearsal;
let metrics: string;
/** An end of the id of the drill. */
let drill: string;
beforeAll(async () => {
  metrics = `127.0.0.1:${await freeServerPort()}`;
  at = await BackupRehearsal.open({ listed: true, config: { metrics: { address: metrics } } });
});
afterAll(() => at.close());

const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: at.rehearsal.folder });
/** What a gauge of the route says. */
const gauge = async (name: string): Promise<string | undefined> => {
  const told = await (await fetch(`http://${metrics}/metrics`)).text();
  return new RegExp(
    `^portolan_last_${name}_timestamp_seconds\\{[^}]*route="transport"[^}]*\\} (\\d+)`,
    'm',
  ).exec(told)?.[1];
};

describe('backups on the command line', () => {
  it('are taken by route, and say where the snapshot is and what to type next', async () => {
    const taken = await run('backup', 'create', 'transport', '--tag', 'by-hand');
    expect(taken.status).toBe(0);
    expect(taken.stdout).toMatch(/^SUCCEEDED in .* 11 items, 1.1 MB, snapshot (\w{4})\. Target: unchanged/m);
    expect(taken.stdout).toMatch(/restore +portolan restore \w{4} --to PORTAL --into GROUP/);
    const again = await run('backup', 'create', 'transport', '-o', 'json');
    expect(recordOf(again)).toMatchObject({ status: 'nothing-to-do', snapshot: { unchanged: true } });
  });

  it('are restored with a plan first, and what they overwrote can be had back', async () => {
    at.rehearsal.target.world.items.change(transportItems.csv, { snippet: 'of production' });
    const restore = ['restore', 'latest:transport', '--to', 'production', '--into', transportTargetGroupId];
    const planned = await run(...restore, '--plan-only', '--exit-code');
    expect([planned.status, planned.stdout]).toEqual([20, expect.stringContaining('Target: unchanged.')]);
    const lost = await run(...restore, '--folder', 'f'.repeat(32), '--plan-only');
    expect([lost.status, lost.stdout]).toEqual([
      10,
      expect.stringMatching(/a folder with ID f+ that belongs to owner/),
    ]);
    const folder = { id: 'e'.repeat(32), username: 'owner', title: 'Restored', created: 1 };
    at.rehearsal.target.world.folders.put(folder.id, folder);
    const restored = await run(...restore, '--folder', folder.id, '--overwrite', '--yes');
    expect(restored.status).toBe(0);
    expect(at.rehearsal.target.world.items.get(transportItems.pdf)?.ownerFolder).toBe(folder.id);
    const [, taken = ''] = /rollback +portolan run rollback (\w{4})/.exec(restored.stdout) ?? [];
    const rollback = ['run', 'rollback', taken, '--yes', '--request-id', 'night-1', '-o', 'json'];
    const remove = ['--delete-created', '--yes-delete', 'production'];
    const undone = await run(...rollback, ...remove);
    expect(undone.status).toBe(0);
    expect(recordOf(await run(...rollback, ...remove)).runId).toBe(recordOf(undone).runId);
    const less = await run(...rollback);
    expect([less.status, less.stderr]).toEqual([2, expect.stringContaining('with other options')]);
    const { items } = at.rehearsal.target.world;
    expect(items.get(transportItems.csv)?.snippet).toBe('of production');

    // Begun again, each waits for a yes to the plan that it had.
    const restartedAs = async (runId: string): Promise<RunRecord> => {
      const again = await run('run', 'restart', runId, '--from', 'guard', '--yes', '-o', 'json');
      expect([again.status, again.stderr]).toEqual([4, expect.stringContaining(`restarts ${runId}`)]);
      const { runId: begun } = recordOf(again);
      expect((await run('run', 'reject', begun)).status).toBe(0);
      return recordOf(await run('run', 'watch', begun, '-o', 'json'));
    };
    const first = recordOf(await run('run', 'show', taken, '-o', 'json'));
    const asRestored = { kind: 'restore', plan: { overwrite: first.plan?.overwrite }, parent: first.runId };
    expect(await restartedAs(first.runId)).toMatchObject({ status: 'cancelled', ...asRestored });
    // A rollback undoes the same run as before, of which it is the second; it has to change something.
    items.change(transportItems.csv, { snippet: 'as restored' });
    const { runId: before } = recordOf(undone);
    const asUndone = { kind: 'rollback', plan: { overwrite: 1 }, parent: first.runId };
    expect(await restartedAs(before)).toMatchObject({ status: 'cancelled', ...asUndone });

    const held = [...items.values()].length;
    const { record: created } = await at.rehearsal.sync();
    expect([...items.values()]).toHaveLength(held + 8);
    const undo = ['run', 'rollback', created.runId];
    const unsure = await run(...undo, '--delete-created');
    expect([unsure.status, unsure.stderr]).toEqual([2, expect.stringContaining('--yes-delete production')]);
    const removed = await run(...undo, '--delete-created', '--yes-delete', 'production', '--yes');
    expect([removed.status, removed.stdout]).toEqual([
      0,
      expect.stringMatching(/^SUCCEEDED in .* 8 created items deleted\. Target: changed/m),
    ]);
    expect([...items.values()]).toHaveLength(held);
  });

  it('are drilled, which snapshot list tells, and metrics that a route never was', async () => {
    // Of a route that is drilled it is said from a worker's start on that it never was.
    expect(await gauge('proven')).toBe('0');
    const asked = ['backup', 'drill', 'transport', '--request-id', 'night-1'];
    const drilled = await run(...asked);
    expect(drilled.status).toBe(0);
    expect((await run(...asked)).stdout).toBe(drilled.stdout);
    drill = /portolan run show (\w+)/.exec(drilled.stdout)?.[1] ?? '';
    const again = await run('run', 'restart', drill, '--from', 'guard', '--yes', '-o', 'json');
    const { proof, runId: of } = recordOf(await run('run', 'show', drill, '-o', 'json'));
    expect(proof).toBe('previewed');
    expect(recordOf(again)).toMatchObject({ kind: 'drill', status: 'succeeded', parent: of, proof });
    expect(drilled.stdout).toMatch(/Snapshot \w{4} is proven: previewed/);
    expect((await run('snapshot', 'list')).stdout).toMatch(/previewed on production/);
  });

  itLong(
    'that failed are begun again with all that they were asked, also when Temporal has forgotten them',
    async () => {
      const { source, temporal } = at.rehearsal;
      source.faults.add({
        match: { operation: 'group.export' },
        do: { error: { code: 400, message: 'Unable to export.' } },
      });
      const failed = await run('backup', 'create', 'transport', '--tag', 'upgrade', '--force', '-o', 'json');
      source.faults.clear();
      const { runId } = recordOf(failed);
      expect(failed.status).toBe(1);
      const { client, namespace } = temporal;
      await client.workflowService.deleteWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: runId },
      });
      await until(
        'Temporal to have forgotten the run',
        () => client.workflow.getHandle(runId).describe().then(String, String),
        (said) => said.includes('NotFound'),
      );
      const short = shortRunId(runId);
      const shown = await run('run', 'show', runId);
      expect(shown.stdout).toContain(`portolan run restart ${short} --from guard\n`);
      const asked = await run('run', 'restart', short, '--from', 'guard', '--no-wait');
      expect([asked.status, asked.stdout]).toEqual([
        2,
        expect.stringContaining(`To start it: portolan run restart ${short} --from guard --no-wait --yes\n`),
      ]);
      const again = recordOf(await run('run', 'restart', short, '--from', 'guard', '--yes', '-o', 'json'));
      expect(again).toMatchObject({ kind: 'backup', status: 'succeeded', parent: runId });
      const taken = await run('snapshot', 'show', again.snapshot?.id ?? '', '-o', 'json');
      expect(JSON.parse(taken.stdout)).toMatchObject({ tags: ['upgrade'] });
    },
  );

  it('that cannot be are refused with what to type, before anything is asked of a portal', async () => {
    const before = at.asked('source', 'portal.self') + at.asked('target', 'portal.self');
    const half = await run('backup', 'create', '--from', 'staging');
    expect([half.status, half.stderr]).toEqual([
      2,
      expect.stringContaining('--from and --group must be given together'),
    ]);
    const gone = await run('restore', 'nosuch', '--to', 'production', '--into', transportTargetGroupId);
    expect([gone.status, gone.stderr]).toEqual([10, expect.stringContaining('portolan snapshot list')]);
    const again = await run('run', 'restart', drill, '--from', 'export');
    expect([again.status, again.stderr]).toEqual([
      2,
      expect.stringContaining(`Start it again: portolan run restart ${drill} --from guard`),
    ]);
    const nothing = await run('run', 'rollback', drill);
    expect([nothing.status, nothing.stderr]).toEqual([
      2,
      expect.stringContaining('did not overwrite anything, so it has no safeguard'),
    ]);
    expect(at.asked('source', 'portal.self') + at.asked('target', 'portal.self')).toBe(before);
  });
});
