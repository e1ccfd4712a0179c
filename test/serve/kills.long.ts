import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import { hashOfKey } from '../../src/serve/access';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { freePorts } from '../../src/temporal/dev-server/address';
import { Portolan } from '../support/child';
import { Site } from '../support/site';
import { until } from '../support/until';

/** Kills of each kind, at moments that differ each time. */
const KILLS = 12;
/** What is asked for is under way by then, or was answered. @format milliseconds */
const KILLED_WITHIN_MS = 400;

const key = 'planted-key-of-kills';

let site: Site;
let url: string;
let server: Portolan;

beforeAll(async () => {
  const [port] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  const route = {
    source: { portal: 'north', group: manyGroupId },
    target: { portal: 'south', group: emptyGroupId },
  };
  site = await Site.open({
    listed: true,
    source: { seed: 'many', seedItems: 2 },
    target: { seed: 'empty' },
    names: { source: 'north', target: 'south' },
    config: {
      serve: {
        address: `127.0.0.1:${port}`,
        keys: { all: { sha256: hashOfKey(key), rights: ['start', 'approve', 'operate'] } },
      },
      routes: { asks: { ...route, approval: 'required', overwrite: true } },
    },
  });
  await serve();
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.ended;
  await site.close();
});

async function serve(): Promise<void> {
  server = new Portolan(['serve'], { cwd: site.folder });
  await server.says('serving at');
}

async function ask(where: string, body?: object, once = ''): Promise<{ status: number; body: unknown }> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(once && { 'idempotency-key': once }),
  };
  const answer = await fetch(`${url}/api/v1${where}`, {
    method: body ? 'POST' : 'GET',
    headers,
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Asks for something, kills the server meanwhile, starts it again, and asks once more. */
async function askTwice(where: string, body: object, once?: string): ReturnType<typeof ask> {
  const lost = ask(where, body, once).catch(() => undefined);
  await sleep(randomInt(KILLED_WITHIN_MS));
  server.child.kill('SIGKILL');
  await Promise.all([lost, server.ended]);
  await serve();
  return await ask(where, body, once);
}

const recordOf = async (runId: string): Promise<RunRecord> => (await ask(`/runs/${runId}`)).body as RunRecord;
const reached = (runId: string, ...statuses: RunRecord['status'][]): Promise<RunRecord> =>
  until(
    `${runId} to be ${statuses.join(' or ')}`,
    () => recordOf(runId),
    ({ status }) => statuses.includes(status),
  );
const executions = async (): Promise<number> =>
  (await site.temporal.client.workflow.count(`WorkflowType = 'backup'`)).count;

describe('a server that is killed', () => {
  it('starts a run once per key', async () => {
    const before = await executions();
    const runIds = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const again = await askTwice('/backups', { route: 'asks', full: true }, `key-${kill}`);
      expect([kill, again]).toEqual([
        kill,
        { status: expect.any(Number), body: expect.objectContaining({ runId: expect.any(String) }) },
      ]);
      const { runId } = again.body as { runId: string };
      runIds.add(runId);
      await reached(runId, 'succeeded', 'nothing-to-do');
    }
    expect(runIds.size).toBe(KILLS);
    await until('all executions in the index', executions, (count) => count >= before + KILLS);
    expect(await executions()).toBe(before + KILLS);
  });

  it('approves a plan once, and its run continues', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      site.editSource();
      const { body } = await ask('/syncs', { route: 'asks', full: true });
      const { runId } = body as { runId: string };
      const { plan } = await reached(runId, 'waiting');
      await askTwice(`/runs/${runId}/approve`, { plan: plan?.hash });
      const { status, actions } = await reached(runId, 'succeeded', 'nothing-to-do', 'failed');
      expect([kill, status, actions.map(({ what, who }) => [what, who])]).toEqual([
        ...[kill, 'succeeded'],
        [
          ['start', 'all'],
          ['approve', 'all'],
        ],
      ]);
    }
  });
});
