import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteItemNow } from './item-records';
import { PortalFault } from './errors';
import { exportPackage } from './package/export';
import { importPackage } from './package/import';
import type { ExportRequest, GroupRecord, ImportRequest, JobRecord, UserRecord } from './state/records';
import { more } from './wire';
import type { World } from './world';

/** Well below any request timeout. */
const LONGEST_LOOK_MS = 1_000;

/**
 * Export and import jobs. Their work starts at once and continues after a restart of the portal. The status shown lags
 * by the configured number of polls.
 */
export class Jobs {
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly world: World) {}

  /** Continues the jobs of an earlier process. */
  resume(): void {
    for (const job of this.world.jobs.values()) {
      if (!job.outcome) void this.run(job.id);
      else if (job.outcome.ok) void this.dropPackage(job);
    }
  }

  start(
    group: GroupRecord,
    user: UserRecord,
    request: ExportRequest | ImportRequest,
  ): { readonly jobId: string; readonly key: string; readonly done: Promise<void> } {
    const { world } = this;
    const id = world.newId();
    const key = randomBytes(16).toString('hex');
    world.jobs.put(id, {
      id,
      type: request.kind,
      groupId: group.id,
      groupTitle: group.title,
      username: user.username,
      keyHash: world.hash(key),
      operationId: world.newId(),
      created: world.now(),
      modified: world.now(),
      polls: 0,
      messages: [],
      request,
    });
    return { jobId: id, key, done: this.run(id) };
  }

  /**
   * The job's status; each call counts as a poll. If jobs need no polls and no time, waits for the work, so that a client
   * polling every second loses none.
   */
  async look(id: string): Promise<object> {
    const { world } = this;
    const { jobPolls, jobMs } = world.settings;
    if (jobPolls === 0 && jobMs === 0)
      await Promise.race([this.running.get(id), sleep(LONGEST_LOOK_MS, undefined, { ref: false })]);
    const known = world.jobs.get(id)!;
    const job = world.jobs.change(id, { polls: known.polls + 1 });
    const ended = job.outcome !== undefined && known.polls >= world.settings.jobPolls;
    return {
      id: job.id,
      definition: definitionOf(job),
      status: ended ? this.endWord(job) : 'processing',
      created: job.created,
      modified: job.modified,
      messages: job.messages,
      ...(ended && job.outcome?.result && { result: job.outcome.result }),
      ...more(world.settings, { percentComplete: ended ? 100 : 50, orgId: world.portal.orgId }),
    };
  }

  /** Outcome of a job whose work is done. */
  outcome(id: string): JobRecord['outcome'] {
    return this.world.jobs.get(id)?.outcome;
  }

  /** Stops all work at once, like a killed portal. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  private endWord(job: JobRecord): string {
    return job.outcome?.ok ? this.world.settings.finalStatus[job.type] : 'failed';
  }

  private run(id: string): Promise<void> {
    const work = this.work(id)
      .catch((error: unknown) => this.fail(id, error))
      .finally(() => this.running.delete(id));
    this.running.set(id, work);
    return work;
  }

  private async work(id: string): Promise<void> {
    const { world } = this;
    const { signal } = this.stopping;
    const job = world.jobs.get(id)!;
    const say = (...messages: string[]): void => {
      world.jobs.change(id, {
        messages: [...world.jobs.get(id)!.messages, ...messages],
        modified: world.now(),
      });
    };
    const pause = async (share: number): Promise<void> => {
      if (world.settings.jobMs > 0) await sleep(world.settings.jobMs * share, undefined, { signal });
      signal.throwIfAborted();
    };
    const progress = { jobId: id, signal, say, pause };
    const result =
      job.request.kind === 'export'
        ? await exportPackage(world, job, job.request, progress)
        : await importPackage(world, job, job.request, progress);
    await this.dropPackage(world.jobs.change(id, { outcome: { ok: true, result }, modified: world.now() }));
  }

  /** A successful import deletes its package, unless told to keep it. */
  private async dropPackage({ request }: JobRecord): Promise<void> {
    if (request.kind !== 'import' || request.keepPackage) return;
    const item = this.world.items.get(request.packageId);
    if (item) await deleteItemNow(this.world, item);
  }

  /** A portal that is closed leaves its jobs for the next start. */
  private fail(id: string, error: unknown): void {
    if (this.stopping.signal.aborted || this.world.closed) return;
    const job = this.world.jobs.get(id)!;
    const words = error instanceof PortalFault ? error.message : `Internal error: ${String(error)}`;
    this.world.jobs.change(id, {
      messages: [...job.messages, words],
      outcome: { ok: false },
      modified: this.world.now(),
    });
  }
}

function definitionOf(job: JobRecord): object {
  return {
    type: job.type,
    ...(job.request.kind === 'export' ? { operationId: job.operationId } : { itemId: job.request.packageId }),
    groupId: job.groupId,
    groupTitle: job.groupTitle,
  };
}
