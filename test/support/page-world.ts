import pino from 'pino';
import { loadConfig } from '../../src/config/load-config';
import { type RunningServer, startServer } from '../../src/serve/server';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { inProcess } from './in-process';
import { Rehearsal } from './rehearsal';

/** A group of the target that a stage has for itself. */
const stageGroupId = 'e0000000000000000000000000000088';

/** Titles and reasons as somebody writes them who means no good. */
export const hostile = {
  markup: '<img src=x onerror="alert(1)">&lt;b&gt;</title><script>alert(2)</script>',
  bidi: 'safe\u202Egnp.exe\u2066\u200Bhidden',
  long: 'x'.repeat(100_000),
};

/** A server with something on each of its pages: a run that is over, one that waits, a backup, a release, a schedule. */
export interface PageWorld {
  readonly rehearsal: Rehearsal;
  readonly server: RunningServer;
  /** Over. */
  readonly runId: string;
  /** Waits for an approval, and overwrites. */
  readonly waiting: string;
  /** Addresses of every page, with something on each. */
  readonly pages: readonly string[];
  /** What a command says as JSON. */
  typed(...args: string[]): Promise<unknown>;
  close(): Promise<void>;
}

export async function openPageWorld(): Promise<PageWorld> {
  const from = { portal: 'north', group: manyGroupId };
  const into = { portal: 'south', group: emptyGroupId };
  const rehearsal = await Rehearsal.open({
    listed: true,
    source: { seed: 'many', seedItems: 5 },
    target: { seed: 'empty' },
    names: { source: 'north', target: 'south' },
    config: {
      serve: { address: '127.0.0.1:0', open: true },
      routes: {
        free: { source: from, target: into, approval: 'none', backup: { maxAge: '26h' } },
        asks: { source: from, target: into, overwrite: true },
      },
      schedules: { nightly: { kind: 'backup', route: 'free', cron: '30 22 * * *', paused: true } },
      pipelines: {
        transport: {
          groups: ['roads'],
          stages: {
            dev: { portal: 'north', groups: { roads: manyGroupId } },
            live: { portal: 'south', groups: { roads: stageGroupId } },
          },
        },
      },
    },
  });
  const items = [...rehearsal.source.world.items.values()];
  Object.values(hostile).forEach((title, at) => {
    const item = items[at];
    if (item) rehearsal.source.world.items.put(item.id, { ...item, title });
  });
  const { groups } = rehearsal.target.world;
  groups.put(stageGroupId, { ...groups.get(emptyGroupId)!, id: stageGroupId });
  const typed = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await inProcess([...args, '-o', 'json'], { cwd: rehearsal.folder })).stdout);
  const server = await startServer(
    loadConfig(`${rehearsal.folder}/portolan.yaml`),
    pino({ level: 'silent' }),
  );
  await typed('schedule', 'apply', '--yes');
  await typed('backup', 'create', 'free');
  await typed('release', 'create', 'transport');
  const { runId } = (await typed('sync', 'free')) as { runId: string };
  const asks = ['sync', 'asks', '--full', '--no-wait', '--reason', hostile.markup];
  const { runId: waiting } = (await typed(...asks)) as { runId: string };
  await rehearsal.waiting(rehearsal.temporal.client.workflow.getHandle(waiting));
  return {
    ...{ rehearsal, server, runId, waiting, typed },
    pages: [
      ...['/', '/runs', '/runs?status=waiting', '/pipelines', '/pipelines/transport', '/backups'],
      ...['/backups/free', '/schedules', '/audit', `/runs/${runId}`, `/runs/${runId}/events`],
      ...[`/runs/${waiting}`, '/runs/nothing-like-it'],
    ],
    close: async () => {
      await server.close();
      await rehearsal.close();
    },
  };
}
