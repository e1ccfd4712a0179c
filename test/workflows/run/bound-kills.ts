import { setTimeout as sleep } from 'node:timers/promises';
import type { BannerRecord, RunRecord } from '../../../src/model/run/run';
import type { TaskAddress } from '../../../src/model/portal-change/task-run';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Portolan } from '../../support/child';
import { Rehearsal } from '../../support/rehearsal';
import { scheduledTask } from '../../support/scheduled-task';

const banner = { text: 'Content is being updated', bgColor: '#ffde00', fontColor: 'black' };
const ofTheHouse = { text: 'Closed on Sunday', bgColor: 'red', fontColor: 'white', enabled: true };

/** What the target has seen when the worker is killed. */
export const moments = {
  'the task was notified that it goes on': ({ notified }) => notified.length > 0,
  'its banner is shown': ({ shown }) => shown === banner.text,
  'its import is taken': ({ imports }) => imports > 0,
  'the banner of before is back': ({ imports, shown }) => imports > 0 && shown === ofTheHouse.text,
  'the task was notified the last word': ({ notified }) => notified.includes('succeeded'),
} as const satisfies Record<string, (seen: Seen) => boolean>;
export type Moment = keyof typeof moments;

interface Seen {
  readonly notified: readonly (string | undefined)[];
  readonly shown: string | undefined;
  readonly imports: number;
}

/** How a run with a banner and a bound task ended whose worker was killed and came back. */
export interface Survivor {
  readonly record: RunRecord;
  readonly notified: readonly (string | undefined)[];
  readonly banner: unknown;
}
export const survived = {
  notified: ['executing', 'succeeded'],
  banner: ofTheHouse,
} as const;

/** A sync of two simulated portals whose worker is a process of its own. */
export class BoundSite {
  private worker: Portolan | undefined;

  private constructor(readonly at: Rehearsal) {}

  static async open(): Promise<BoundSite> {
    const user = { username: 'admin', password: 'admin-pw' };
    return new BoundSite(await Rehearsal.open({ user, worker: false, listed: true }));
  }

  /** Runs a sync, kills its worker with -9 at a moment, starts another one, and sees the run to its end. */
  async killAt(moment: Moment): Promise<Survivor> {
    const { target } = this.at;
    const { world } = target;
    if (world.items.get(transportItems.csv)) world.items.remove(transportItems.csv);
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
    const handle = await this.at.start(this.at.route({}, { taskRun, banner }));
    while (!moments[moment]({ notified: task.statuses(), shown: shown().text, imports: importsOf(this.at) }))
      await sleep(2);
    await this.killWorker();
    await this.startWorker();
    const { record } = await this.at.ended(handle);
    return { record, notified: task.statuses(), banner: shown() };
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

const importsOf = ({ target }: Rehearsal): number =>
  target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] === 'false')
    .length;
