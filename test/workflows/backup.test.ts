import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { BackupInput, RestoreInput } from '../../src/model/backup-input';
import { resolveBackup, resolveRestore } from '../../src/config/resolve-route';
import { transportTargetGroupId } from '../../src/simulator/seed/transport';
import { openSnapshots } from '../../src/snapshots/open-snapshots';
import { type Ended, Rehearsal } from './rehearsal';

let rehearsal: Rehearsal;
beforeEach(async () => {
  rehearsal = await Rehearsal.open({ config: {} });
});
afterEach(() => rehearsal.close());

const started = async (kind: string, input: Record<string, unknown>): Promise<Ended> => {
  const runId = `${kind}-transport-${randomBytes(4).toString('hex')}`;
  const handle = await rehearsal.temporal.client.workflow.start(kind, {
    workflowId: runId,
    taskQueue: rehearsal.config.temporal.taskQueue,
    args: [{ runId, startedBy: 'test', yes: true, tags: [], ...input }],
  });
  return await rehearsal.ended(handle);
};

const backup = (more: Partial<BackupInput> = {}): Promise<Ended> =>
  started('backup', { route: resolveBackup(rehearsal.config, 'transport'), ...more });

describe('a backup', () => {
  it('is a snapshot in the store, and nothing of it stays on the portal', async () => {
    const { record } = await backup();
    expect(record).toMatchObject({ status: 'succeeded' });
    const snapshots = openSnapshots(rehearsal.config);
    const manifest = await snapshots.read(record.snapshot?.id ?? '');
    expect(rehearsal.packages()).toEqual([]);
    const again = await backup();
    expect(again.record).toMatchObject({
      status: 'nothing-to-do',
      snapshot: { id: manifest.id, unchanged: true },
    });
    const { portal, url, groupId } = manifest.source;
    const route = resolveRestore(
      rehearsal.config,
      { name: 'transport', source: { portal, url, groupId } },
      { to: 'production', into: transportTargetGroupId },
    );
    const restored = await started('restore', {
      route,
      snapshotId: manifest.id,
    } satisfies Partial<RestoreInput>);
    expect(restored.record.status).toBe('succeeded');
  });
});
