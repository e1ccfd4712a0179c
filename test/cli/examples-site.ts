import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load-config';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { startSimulator } from '../../src/simulator/simulator';
import { startServer } from '../../src/serve/server';
import { createWorkerLog } from '../../src/temporal/worker-log';
import { runWorker } from '../../src/worker';
import { freeServerPort } from '../support/free-port';
import { inOneThread } from '../support/one-thread';
import { scheduledTask } from '../support/scheduled-task';
import { ownNamespace, temporalAddress, workflowBundlePath } from '../support/temporal';

/** A group of scratch for releases only. */
const stageGroupId = 'e0000000000000000000000000000088';

/** An address at which no server listens. */
export const nothingThere = 'http://127.0.0.1:1';

/** What examples name: three portals, a worker, a route, schedules, a task and files. */
export async function openExamples() {
  const folder = mkdtempSync(path.join(tmpdir(), 'portolan-examples-'));
  const portal = (name: string, version: string, seed: string) =>
    startSimulator({
      name,
      version,
      seed,
      seedItems: 3,
      jobPolls: 0,
      commitLagMs: 0,
      state: path.join(folder, name),
    });
  const [staging, production, scratch] = await Promise.all([
    portal('staging', '11.2', 'many'),
    portal('production', '11.4', 'empty'),
    portal('scratch', '11.4', 'empty'),
  ]);
  const task = scheduledTask(production);
  new SeedBuilder(scratch.world).group(stageGroupId, 'Traffic');

  const signIn = { type: 'password', username: 'admin', password: { file: 'secret' } };
  const config = {
    // The latest run must be one of the examples'.
    temporal: { address: temporalAddress(), namespace: await ownNamespace(), taskQueue: 'examples' },
    store: { path: 'store' },
    serve: { address: '127.0.0.1:0', url: nothingThere, open: true },
    portals: {
      staging: { url: staging.url, auth: signIn },
      production: { url: production.url, auth: signIn, protect: { official: { groups: 'all' } } },
      scratch: { url: scratch.url, auth: signIn, role: 'scratch' },
    },
    routes: {
      transport: {
        source: { portal: 'staging', group: manyGroupId },
        target: { portal: 'production', group: emptyGroupId },
        overwrite: true,
        backup: { drill: { portal: 'scratch', group: emptyGroupId } },
      },
    },
    pipelines: {
      traffic: {
        groups: ['roads'],
        settings: true,
        categories: true,
        stages: {
          staging: { portal: 'staging', groups: { roads: manyGroupId } },
          production: { portal: 'scratch', groups: { roads: stageGroupId } },
        },
      },
    },
    notify: [{ name: 'tickets', on: ['started'], command: ['true'] }],
    hooks: { ci: { secret: { file: 'hook-secret' }, route: 'transport' } },
    schedules: {
      'nightly-transport': { route: 'transport', cron: '30 3 * * *' },
      'sunday-drill': { kind: 'drill', route: 'transport', cron: '0 5 * * SUN' },
    },
  };
  const write = (name: string, content: unknown) =>
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : stringify(content));
  write('secret', 'admin-pw\n');
  write('hook-secret', 'of-a-hook-that-nobody-calls-but-this\n');
  write('portolan.yaml', config);
  write('rehearsal.yaml', config);
  write('settings.yaml', { portalConfigProperties: { tokenExpiration: 60 } });
  write('schema.yaml', { categorySchema: [{ title: 'Categories', categories: [{ title: 'Roads' }] }] });

  const logger = createWorkerLog({ level: 'info', destination: pino.destination(path.join(folder, 'log')) });
  const file = path.join(folder, 'portolan.yaml');
  const worker = await inOneThread(() =>
    runWorker(loadConfig(file), { bundlePath: workflowBundlePath(), logger }),
  );

  // `npm run test:server`
  const isByServer = process.env['PORTOLAN_TEST_VIA'] === 'server';
  const server = isByServer ? await startServer(loadConfig(file), pino({ level: 'silent' })) : undefined;

  // `up` starts a Temporal server, so it needs a configuration that names none that is up.
  const elsewhere = path.join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  for (const name of ['portolan.yaml', 'rehearsal.yaml']) {
    const port = await freeServerPort();
    const here = { ...config, temporal: { address: `127.0.0.1:${port}`, state: `temporal-${port}` } };
    write(path.join('elsewhere', name), here);
  }
  write('elsewhere/secret', 'admin-pw\n');

  return {
    folder,
    elsewhere,
    /** What the examples ask. @default none */
    server,
    /** Has production refuse the next import only. */
    refuseImport() {
      production.faults.add({
        match: { operation: 'group.import', params: { previewOnly: 'false' } },
        times: 1,
        do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
      });
    },
    /** Edits the items of the group, so that the next sync has something to copy. */
    edit() {
      for (const { id } of staging.world.items.filter(({ groups }) => groups.includes(manyGroupId)))
        staging.world.items.change(id, {
          snippet: `Edit ${staging.world.now()}`,
          modified: staging.world.now(),
        });
    },
    /** A line of the help with the IDs and addresses of this site. */
    named: (line: string) =>
      line
        .replace('9f2c4b7de1a84c0fb3d1a6c25e7f90e1', manyGroupId)
        .replace('47ab0c9d52e64f6c8b1e7a3d9c604503', emptyGroupId)
        .replace('a1000000000000000000000000000001', 'c0000000000000000000000000000001')
        .replace('https://staging.example.com/portal', staging.url)
        .replace('https://gis.example.com/portal', production.url)
        .replace('--user sync', '--user admin')
        .replace('5c1e08d2', task.id),
    async close() {
      await server?.close();
      await worker.stop();
      await Promise.all([staging, production, scratch].map((each) => each.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Examples = Awaited<ReturnType<typeof openExamples>>;
