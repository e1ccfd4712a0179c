import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { root } from '../commands.mjs';
import { must, run, Wrong } from './run.mjs';

/** The first stage of the Dockerfile is rehearsed in a folder of its own, without an engine: what comes out of it runs. */
export async function checkImage() {
  const text = (await readFile(path.join(root, 'Dockerfile'), 'utf8'))
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ');
  const [build] = text.split(/^FROM .*\n/m).filter((stage) => stage.trim() !== '');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-image-'));
  try {
    for (const line of build.trim().split('\n')) await perform(line, folder);
    const node = (what, ...args) => must(what, process.execPath, args, { cwd: folder });
    node('the command runs without the development dependencies', 'dist/cli/main.js', '--version');
    node('so does the worker', '-e', "require('./dist/worker.js')");
    await readImageConfiguration(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function perform(line, folder) {
  const [instruction, ...words] = line.trim().split(/\s+/);
  if (instruction === 'COPY') {
    const target = path.resolve(folder, words.at(-1));
    for (const file of words.slice(0, -1)) {
      const into = words.at(-1).endsWith('/') ? path.join(target, path.basename(file)) : target;
      await cp(path.join(root, file), into, { recursive: true });
    }
  } else if (instruction === 'RUN') {
    must(words.join(' '), 'sh', ['-c', words.join(' ')], { cwd: folder });
  }
}

/** The samples are read by the command that came out, as its containers will: up to what only their secrets can say. */
async function readImageConfiguration(folder) {
  for (const sample of ['docker/portolan.yaml', 'deploy/kubernetes/base/portolan.yaml']) {
    const env = { ...process.env, PORTOLAN_CONFIG: path.join(root, sample) };
    const { stderr } = run(process.execPath, ['dist/cli/main.js', 'worker'], { cwd: folder, env });
    if (!stderr.includes('SECRET_UNREADABLE')) throw new Wrong(`NOT: a worker takes ${sample}\n${stderr}`);
  }
}
