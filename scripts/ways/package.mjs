import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { must, run, say, Wrong } from './run.mjs';

/** What `npm pack` writes is installed where nothing else is, and has to work without the repository. */
export async function checkPackage() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-package-'));
  try {
    const packed = must('npm packs it', 'npm', [
      'pack',
      '--ignore-scripts',
      '--json',
      '--pack-destination',
      folder,
    ]);
    const [{ files, filename, size }] = JSON.parse(packed);
    const strange = files.map(({ path: file }) => file).filter((file) => !expected.test(file));
    if (strange.length > 0) throw new Wrong(`NOT: it holds only what runs: ${strange.join(', ')}`);
    say(`it holds only what runs: ${files.length} files, ${(size / 2 ** 20).toFixed(1)} MB`);

    const prefix = path.join(folder, 'prefix');
    const work = path.join(folder, 'work');
    must('an empty folder to work in', 'mkdir', ['-p', prefix, work]);
    const install = ['install', '--global', '--no-audit', '--no-fund', '--prefix', prefix];
    must('npm installs it into an empty prefix', 'npm', [...install, path.join(folder, filename)], {
      cwd: work,
    });

    const portolan = path.join(prefix, 'bin', 'portolan');
    const env = withoutRepository();
    const type = (what, ...args) => must(what, portolan, args, { cwd: work, env, timeout: 300_000 });
    const version = type('portolan --version', '--version').trim();
    const { version: wanted } = JSON.parse(run('npm', ['pkg', 'get', 'version', 'name']).stdout);
    if (version !== wanted) throw new Wrong(`NOT: it says its version: ${version}`);
    type('portolan --help', '--help');
    type('portolan completion bash', 'completion', 'bash');
    must('portolan demo: Temporal, two simulated portals, a worker and a sync', portolan, ['demo'], {
      cwd: work,
      env,
      timeout: 300_000,
    });
    const left = await readdir(work);
    if (left.length > 0) throw new Wrong(`NOT: the demo leaves nothing: ${left.join(', ')}`);
    say('the demo leaves nothing in the folder');
    checkInit(portolan, work, env);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** dist, what people read, the checks that a pipeline may name, and what administrators copy. */
const expected =
  /^((deploy|dist|examples\/checks|ops)\/.+|docker\/temporal-dynamic-config\.yaml|README\.md|LICENSE|package\.json)$/;

/** `init` and `doctor` are typed; without portals that answer, they say so as the guide does, and no stack is seen. */
function checkInit(portolan, work, env) {
  const nobody = ['--from', 'http://127.0.0.1:9/portal', '--to', 'http://127.0.0.1:9/other'];
  const rest = ['--group', 'a', '--into', 'b', '--user', 'sync', '--password', 'env:NOBODY'];
  for (const args of [['init', ...nobody, ...rest], ['doctor']]) {
    const { status, stderr } = run(portolan, args, { cwd: work, env: { ...env, NOBODY: 'secret' } });
    if (status === 0 || !/^error [A-Z_]+ /m.test(stderr) || /^\s+at /m.test(stderr))
      throw new Wrong(`NOT: portolan ${args[0]} says what it lacks (${status})\n${stderr}`);
    say(`portolan ${args[0]} says what it lacks, and ends with ${status}: ${stderr.trim().split('\n')[0]}`);
  }
}

/** As a user has it: nothing of npm, of this project or of a configuration. */
const withoutRepository = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|PORTOLAN_|NODE_PATH|INIT_CWD)/.test(name)),
  );
