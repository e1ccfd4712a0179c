import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { type TemporalServer, startTemporalServer } from '../../src/temporal/dev-server/temporal-server';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle';

/** What teardown has to end; both run in the process that started jest. */
export interface StartedForTests {
  server: TemporalServer;
  folder: string;
}

/** One Temporal server and one workflow bundle for all suites of the run; in memory, which takes a third less work. */
export default async function startTemporal(): Promise<void> {
  // Its memory is collected less often, which is less work; there is enough of it. It runs on
  // one processor, of which it needs less than half: what hands work over between two is a sixth of it.
  process.env.GOGC ??= '400';
  process.env.GOMAXPROCS ??= '1';
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-tests-'));
  const bundle = path.join(folder, 'workflow-bundle.js');
  const cli = await findTemporalCli();
  const [server, code] = await Promise.all([
    startTemporalServer({
      cli: cli.path,
      address: '127.0.0.1:0',
      ui: false,
      logFile: path.join(folder, 'temporal.log'),
      endsWithUs: true,
    }),
    bundleWorkflows(),
  ]);
  await writeFile(bundle, code);
  process.env.PORTOLAN_TEST_TEMPORAL = server.address;
  process.env.PORTOLAN_TEST_BUNDLE = bundle;
  (globalThis as { startedForTests?: StartedForTests }).startedForTests = { server, folder };
}
