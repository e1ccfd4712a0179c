import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRun } from '../../../src/service/run/start-run';
import type { Notification } from '../../../src/model/run/notification';
import { messageNames } from '../../../src/model/run/run-input';
import { transportItems } from '../../../src/simulator/seed/transport';
import { HookReceiver } from '../../support/hook-receiver';
import { Site } from '../../support/site';

const receiver = new HookReceiver([]);
let site: Site;
beforeAll(async () => {
  const webhook = await receiver.open();
  site = await Site.open({
    config: { notify: [{ webhook }, { command: ['/none/of/this', 'planted-argument'] }] },
  });
});
afterAll(async () => {
  await site.close();
  await receiver.close();
});

/** The notifications since the last call. */
const newOnes = () => receiver.received.splice(0).map(({ body }) => JSON.parse(body) as Notification);
const summary = ({ event, status, target }: Notification) => `${event} ${status} ${target}`;

describe('notification', () => {
  it('reports each trouble of a route and its recovery, and a failed one is a warning', async () => {
    const { source, target } = site;
    source.settings.finalStatus.export = 'failed';
    const route = site.route({ items: [transportItems.pdf] });
    await site.sync(route);
    expect(newOnes().map(summary)).toEqual(['failed failed untouched']);

    source.settings.finalStatus.export = 'completed';
    target.settings.finalStatus.import = 'failed';
    const { handle, runId, record } = await site.sync(route);
    expect(record).toMatchObject({
      status: 'parked',
      // This portal had done the work before it said so.
      target: 'changed',
      error: {
        code: 'JOB_FAILED',
        origin: 'target',
        message: expect.stringContaining('ended the import job as "failed"'),
      },
      parked: {
        evidence: expect.arrayContaining(['1 of 1 items on production have changed since the plan']),
      },
    });
    target.settings.finalStatus.import = 'completed';
    expect((await site.resume(handle)).record.status).toBe('succeeded');
    const [parked, recovered] = newOnes();
    expect([parked!, recovered!].map(summary)).toEqual([
      'parked parked changed',
      'recovered succeeded changed',
    ]);
    expect(parked).toMatchObject({
      id: `${runId}/parked/1`,
      runId,
      route: 'transport',
      commands: record.parked?.commands,
      reason: record.parked?.reason,
    });

    const { story, image } = transportItems;
    target.settings.failImport = [story];
    const last = await site.sync(site.route({ items: [story, image] }));
    const [partial] = newOnes();
    expect(summary(partial!)).toBe('partial partial changed');
    expect(partial?.reason).toMatch(
      /imported, 0 blocked, 1 failed, 0 not imported, 0 unaccounted for, 0 findings$/,
    );
    expect(last.record.warnings).toContain(
      'the notification "partial" was not sent: notify.1 (this) cannot be started (ENOENT)',
    );
    expect(JSON.stringify(last.record)).not.toContain('planted');
  });

  it('reports a run that waits for approval, unless its starter watches it', async () => {
    site.target.world.items.change(transportItems.csv, { snippet: 'Edited here' });
    const route = site.route({ overwrite: true, items: [transportItems.csv] }, { approval: 'required' });
    const reject = async (runId: string) => {
      const handle = site.handle(runId);
      const { plan } = await site.waiting(handle);
      await site.answer(handle, messageNames.reject, { who: 'a@b' });
      await site.over(handle);
      return plan?.hash;
    };
    const request = { route, yes: false, requestId: 'tonight' };
    const attended = await startRun('sync', site, { ...request, attended: true });
    // Watching is no part of what a request ID asks for.
    expect(await startRun('sync', site, request)).toEqual({ ...attended, isNew: false });
    await reject(attended.runId);
    expect(newOnes()).toEqual([]);

    const hash = await reject((await startRun('sync', site, { route, yes: false })).runId);
    const [waiting, ...others] = newOnes();
    expect([summary(waiting!), others]).toEqual(['waiting waiting untouched', []]);
    expect(waiting?.commands).toContainEqual(expect.stringContaining(`--plan ${hash}`));
  });
});
