import { randomBytes } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { BackupInput, DrillInput, RestoreInput, RollbackInput } from '../../src/model/run/run-input';
import { resolveBackup, resolveDrill, resolveRestore, type RouteFlags } from '../../src/config/resolve-route';
import type { RunRecord } from '../../src/model/run/run';
import { transportGroupId, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { openControl } from '../../src/domain/control/control';
import { openSnapshots, type Snapshots } from '../../src/domain/snapshot/snapshots';
import { type Ended, Rehearsal, type RehearsalOptions } from './rehearsal';

/** Starts runs of snapshots as their commands do, over the two portals of a rehearsal. */
export class BackupRehearsal {
  private constructor(
    readonly rehearsal: Rehearsal,
    readonly snapshots: Snapshots,
  ) {}

  static async open(
    { config, ...options }: RehearsalOptions = {},
    drillGroup = transportTargetGroupId,
  ): Promise<BackupRehearsal> {
    const source = { portal: 'staging', group: transportGroupId };
    const target = { portal: 'production', group: transportTargetGroupId };
    const rehearsal = await Rehearsal.open({
      ...options,
      config: {
        routes: {
          transport: {
            source,
            target,
            approval: 'none',
            backup: { drill: { ...target, group: drillGroup } },
          },
        },
        ...config,
      },
    });
    return new BackupRehearsal(rehearsal, openSnapshots(rehearsal.config));
  }

  async start(kind: string, input: Record<string, unknown>): Promise<WorkflowHandle> {
    const runId = `${kind}-transport-${randomBytes(4).toString('hex')}`;
    const { config, temporal } = this.rehearsal;
    const start = { runId, startedBy: 'test', yes: true, ...input };
    return await temporal.client.workflow.start(kind, {
      workflowId: runId,
      taskQueue: config.temporal.taskQueue,
      args: [(await openControl(config)).signStart(kind, runId, start)],
    });
  }

  private run = async (kind: string, input: Record<string, unknown>): Promise<Ended> =>
    await this.rehearsal.ended(await this.start(kind, input));

  backup(more: Partial<BackupInput> = {}): Promise<Ended> {
    return this.run('backup', {
      route: resolveBackup(this.rehearsal.config, 'transport'),
      tags: [],
      ...more,
    });
  }

  drill(more: Partial<DrillInput> = {}): Promise<Ended> {
    return this.run('drill', { route: resolveDrill(this.rehearsal.config, 'transport'), ...more });
  }

  async restore(...[id, where, more]: Parameters<BackupRehearsal['startRestore']>): Promise<Ended> {
    return await this.rehearsal.ended(await this.startRestore(id, where, more));
  }

  /** Starts a restore and leaves it to itself. */
  async startRestore(
    snapshotId: string,
    {
      to = 'production',
      into = transportTargetGroupId,
      ...flags
    }: Partial<Parameters<typeof resolveRestore>[2]> = {},
    more: Partial<RestoreInput> = {},
  ): Promise<WorkflowHandle> {
    const route = await this.routeOf(snapshotId, { to, into, ...flags });
    return await this.start('restore', { route, snapshotId, ...more });
  }

  async rollback(...[record, more]: Parameters<BackupRehearsal['startRollback']>): Promise<Ended> {
    return await this.rehearsal.ended(await this.startRollback(record, more));
  }

  /** Starts a rollback and leaves it to itself. */
  async startRollback(
    { runId, kind, safeguard, snapshot }: RunRecord,
    more: Partial<RollbackInput> = {},
  ): Promise<WorkflowHandle> {
    const snapshotId = safeguard?.id ?? (kind === 'sync' ? snapshot?.id : undefined);
    if (snapshotId === undefined) return await this.undo(runId, more);
    // Safeguards are of the group into which they lead back.
    const { groupId: into } = (await this.snapshots.read(snapshotId)).source;
    const flags = {
      to: 'production',
      into,
      overwrite: true,
      data: 'replace',
    } as const;
    const route = await this.routeOf(snapshotId, flags);
    return await this.start('rollback', { route, snapshotId, parent: runId, ...more });
  }

  /** Undoes a run that took no safeguard. */
  private undo(parent: string, more: Partial<RollbackInput>): Promise<WorkflowHandle> {
    const { name, target } = this.rehearsal.route();
    const { portal: to, groupId: into } = target;
    const route = resolveRestore(this.rehearsal.config, { name, source: target }, { to, into });
    return this.start('rollback', { route, parent, ...more });
  }

  private async routeOf(snapshotId: string, where: RouteFlags & { to: string; into: string }) {
    const { source, route: name } = await this.snapshots.read(snapshotId);
    const { portal, url, groupId } = source;
    return resolveRestore(this.rehearsal.config, { name, source: { portal, url, groupId } }, where);
  }

  /** How often a portal was asked for something. */
  asked(portal: 'source' | 'target', operation: string): number {
    return this.rehearsal[portal].requests().filter((request) => request.operation === operation).length;
  }

  close = (): Promise<void> => this.rehearsal.close();
}
