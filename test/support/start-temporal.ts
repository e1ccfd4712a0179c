import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type * as WorkflowBundle from '../../src/temporal/workflow-bundle';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer } from '../../src/temporal/dev-server/temporal-server';

/** The server of all suites. */
interface Server {
  /** `host:port` */
  readonly address: string;
  stop(): Promise<void>;
}

/** What teardown has to end; both run in the process that started jest. */
export interface StartedForTests {
  server: Server;
  folder: string;
}

const root = path.join(__dirname, '..', '..');
const built = path.join(root, 'dist', 'workflow-bundle.js');
/** Behind the code. */
const mapBegins = /\/\/# sourceMappingURL=data:application\/json;[^,]*base64,/;

/** The bundle of the build, which takes nothing, unless it is older than any of the sources. */
async function workflowCode() {
  const changedAt = async (file: string) => (await stat(file)).mtimeMs;
  const sources = await readdir(path.join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = sources.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  const builtAt = await changedAt(built).catch(() => 0);
  if ((await Promise.all(files.map(changedAt))).every((at) => at < builtAt))
    return await readFile(built, 'utf8');
  // Loaded by who needs it alone: it brings webpack along.
  const bundler = createRequire(__filename)('../../src/temporal/workflow-bundle') as typeof WorkflowBundle;
  return await bundler.bundleWorkflows();
}

/** Without the lines of the sources, which each worker of a suite would read anew, a third of the work of its start. */
const withoutLines = (code: string) => {
  const [comment = ''] = mapBegins.exec(code) ?? [];
  const none = JSON.stringify({
    version: 3,
    file: 'workflow-bundle.js',
    sources: [],
    names: [],
    mappings: '',
  });
  return `${code.slice(0, code.indexOf(comment))}${comment}${Buffer.from(none).toString('base64')}`;
};

/** One Temporal server and one workflow bundle for all suites of the run. @param startServer is given a folder for logs */
export async function startForTests(startServer: (folder: string) => Promise<Server>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-tests-'));
  const bundle = path.join(folder, 'workflow-bundle.js');
  const [server, code] = await Promise.all([startServer(folder), workflowCode().then(withoutLines)]);
  await writeFile(bundle, code);
  process.env.PORTOLAN_TEST_TEMPORAL = server.address;
  process.env.PORTOLAN_TEST_BUNDLE = bundle;
  (globalThis as { startedForTests?: StartedForTests }).startedForTests = { server, folder };
}

/** The development server, in memory, which takes a third less work. */
export default async function startTemporal(): Promise<void> {
  // Its memory is collected less often, which is less work; there is enough of it. It runs on
  // one processor, of which it needs less than half: what hands work over between two is a sixth of it.
  process.env.GOGC ??= '400';
  process.env.GOMAXPROCS ??= '1';
  await startForTests(async (folder) =>
    startTemporalServer({
      cli: (await findTemporalCli()).path,
      address: '127.0.0.1:0',
      logFile: path.join(folder, 'temporal.log'),
    }),
  );
}
