import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startRun } from '../../../src/service/run/start-run';
import type { Notification } from '../../../src/model/run/notification';
import { messageNames } from '../../../src/model/run/run-input';
import { transportItems } from '../../../src/simulator/seed/transport';
import { Rehearsal } from '../../support/rehearsal';

let rehearsal: Rehearsal;
let server: http.Server;
let received: Notification[];

beforeEach(async () => {
  received = [];
  server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      received.push(JSON.parse(body) as Notification);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await rehearsal.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const notified = (): string[] => received.map(({ event, status, target }) => `${event} ${status} ${target}`);

describe('whoever is notified what happens to runs', () => {
  it('hears of each trouble of a route, and of its end; who cannot be reached costs a warning and nothing else', async () => {
    rehearsal = await Rehearsal.open({
      source: { finalStatus: { export: 'failed' } },
      config: {
        notify: [{ webhook: address() }, { command: ['/none/of/this', 'planted-argument'] }],
      },
    });
    const { source, target } = rehearsal;
    await rehearsal.sync();
    expect(notified()).toEqual(['failed failed untouched']);

    source.settings.finalStatus.export = 'completed';
    target.settings.finalStatus.import = 'failed';
    const { handle, runId, record } = await rehearsal.sync();
    expect(record.status).toBe('parked');
    target.settings.finalStatus.import = 'completed';
    expect((await rehearsal.resume(handle)).record.status).toBe('succeeded');
    expect(notified().slice(1)).toEqual(['parked parked changed', 'recovered succeeded changed']);
    expect(received[1]).toMatchObject({
      id: `${runId}/parked/1`,
      runId,
      route: 'transport',
      commands: record.parked?.commands,
      reason: record.parked?.reason,
    });

    const waiting = await rehearsal.start(rehearsal.route({ overwrite: true }, { approval: 'required' }));
    const { plan } = await rehearsal.waiting(waiting);
    await rehearsal.answer(waiting, messageNames.reject, { who: 'a@b' });
    await waiting.result().catch(() => undefined);
    expect(notified().slice(3)).toEqual(['waiting waiting untouched']);
    expect(received[3]?.commands).toContainEqual(expect.stringContaining(`--plan ${plan?.hash}`));

    // Nobody else is called where whoever started it answers at once.
    const required = rehearsal.route({ overwrite: true }, { approval: 'required' });
    const asked = { route: required, yes: false, requestId: 'tonight' };
    const started = await startRun('sync', rehearsal, { ...asked, attended: true });
    // Who sits before it makes nothing else of what a request id asks for.
    expect(await startRun('sync', rehearsal, asked)).toEqual({ ...started, isNew: false });
    const attended = rehearsal.temporal.client.workflow.getHandle(started.runId);
    await rehearsal.waiting(attended);
    await rehearsal.answer(attended, messageNames.reject, { who: 'a@b' });
    await attended.result().catch(() => undefined);
    expect(notified().slice(4)).toEqual([]);

    target.settings.failImport = [transportItems.pdf];
    target.world.items.change(transportItems.pdf, { snippet: 'Edited here' });
    const last = await rehearsal.sync(rehearsal.route({ overwrite: true }));
    expect(notified().slice(4)).toEqual(['partial partial changed']);
    expect(received[4]?.reason).toMatch(
      /imported, 0 blocked, 1 failed, 0 not imported, 0 unaccounted for, 0 findings$/,
    );
    expect(last.record.status).toBe('partial');
    expect(last.record.warnings).toContain(
      'the notification "partial" was not sent: notify.1 (this) cannot be started (ENOENT)',
    );
    expect(JSON.stringify(last.record)).not.toContain('planted');
  });
});
