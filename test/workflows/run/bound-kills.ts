import { setTimeout as sleep } from 'node:timers/promises';
import type { BannerRecord, RunRecord } from '../../../src/model/run/run';
import type { TaskAddress } from '../../../src/model/portal-change/task-run';
import { transportItems, transportTargetGroupId } from '../../../src/simulator/seed/transport';
import type { ItemRecord } from '../../../src/simulator/state/records';
import { Portolan } from '../../support/child';
import { Site } from '../../support/site';
import { scheduledTask } from '../../support/scheduled-task';

const banner = { text: 'Content is being updated', bgColor: '#ffde00', fontColor: 'black' };
const ofTheHouse = { text: 'Closed on Sunday', bgColor: 'red', fontColor: 'white', enabled: true };

/** What the target has seen when the worker is killed. */
export const moments = {
  'the task was notified that it goes on': ({ notified }) => notified.length > 0,
  'its banner is shown': ({ shown }) => shown === banner.text,
  'its import is taken': ({ imports }) => imports > 0,
  'what the portal replaced is being put back': ({ putBack }) => putBack > 0,
  'the banner of before is back': ({ imports, shown }) => imports > 0 && shown === ofTheHouse.text,
  'the task was notified the last word': ({ notified }) => notified.includes('succeeded'),
} as const satisfies Record<string, (seen: Seen) => boolean>;
export type Moment = keyof typeof moments;

interface Seen {
  readonly notified: readonly (string | undefined)[];
  readonly shown: string | undefined;
  readonly imports: number;
  /** Calls by which what the import has replaced gets back to where it stood. */
  readonly putBack: number;
}

/** How a run with a banner and a bound task ended whose worker was killed and came back. */
export interface Survivor {
  readonly record: RunRecord;
  readonly notified: readonly (string | undefined)[];
  readonly banner: unknown;
  /** An item of somebody else that was overwritten, as it stands. */
  readonly placed: Partial<ItemRecord>;
}

const placed = {
  owner: 'other',
  ownerFolder: 'f00d',
  access: 'org',
  protected: true,
  groups: [transportTargetGroupId],
} as const satisfies Partial<ItemRecord>;

export const survived = {
  placed,
  notified: ['executing', 'succeeded'],
  banner: ofTheHouse,
} as const;

/** A sync of two simulated portals whose worker is a process of its own, until that is killed. */
export class BoundSite {
  private worker: Portolan | undefined;

  private constructor(readonly at: Site) {}

  static async open(): Promise<BoundSite> {
    const user = { username: 'admin', password: 'admin-pw' };
    const target = { overwriting: 'replace', refuseForeign: false } as const;
    return new BoundSite(await Site.open({ user, target, worker: false, listed: true }));
  }

  /**
   * Runs a sync, kills its worker with -9 at a moment, starts another one, and sees the run to its end.
   *
   * @param lost operations whose first answer never comes
   */
  async killAt(moment: Moment, lost: readonly string[] = []): Promise<Survivor> {
    const { target } = this.at;
    const { world } = target;
    for (const operation of lost)
      target.faults.add({ match: { operation }, nth: 1, when: 'after', do: 'reset' });
    if (world.items.get(transportItems.csv)) world.items.remove(transportItems.csv);
    world.folders.put('f00d', { id: 'f00d', username: 'other', title: 'Maps', created: 1 });
    const { map } = transportItems;
    world.items.change(map, { ...placed, groups: [...placed.groups] });
    // What is identical is not imported again.
    this.at.editSource();
    world.changePortal({ settings: { ...world.portal.settings, informationalBanner: ofTheHouse } });
    target.clearRequests();
    const task = scheduledTask(target);
    const taskRun: TaskAddress = {
      portal: 'production',
      url: target.url,
      username: 'owner',
      taskId: task.id,
    };
    const shown = (): BannerRecord => world.portal.settings['informationalBanner'] as BannerRecord;
    await this.startWorker();
    const handle = await this.at.start(this.at.route({ overwrite: true, take: [map] }, { taskRun, banner }));
    const seen = (): Seen => ({
      notified: task.statuses(),
      shown: shown().text,
      imports: importsOf(this.at),
      putBack: target.requests().filter(({ operation }) => operation === 'item.reassign').length,
    });
    while (!moments[moment](seen())) await sleep(2);
    await this.killWorker();
    await this.at.startWorker();
    const { record } = await this.at.ended(handle);
    await this.at.stopWorker();
    const { owner, ownerFolder, access, groups, protected: isProtected } = world.items.get(map) ?? {};
    const now = { owner, ownerFolder, access, groups, protected: isProtected };
    return { record, notified: task.statuses(), banner: shown(), placed: now };
  }

  async close(): Promise<void> {
    await this.killWorker();
    await this.at.close();
  }

  private async startWorker(): Promise<void> {
    if (this.worker) return;
    this.worker = new Portolan(['worker'], { cwd: this.at.folder });
    await this.worker.says(' polls ');
  }

  private async killWorker(): Promise<void> {
    this.worker?.child.kill('SIGKILL');
    await this.worker?.ended;
    this.worker = undefined;
  }
}

const importsOf = ({ target }: Site): number =>
  target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] === 'false')
    .length;
