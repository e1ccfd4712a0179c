import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cache } from '../commands.mjs';
import { goTool } from './go-tool.mjs';
import { rehearseContainers } from './containers-rehearsal.mjs';
import { checkUiProxy } from './ui-proxy.mjs';
import { freePort } from './free-port.mjs';
import { must, run, say, Wrong } from './run.mjs';

/** docker-compose.yml is read as `docker compose config` reads it, and docker/secrets.sh makes what it names. */
export async function checkCompose() {
  const compose = await goTool('compose');
  const printed = must('docker-compose.yml is what the Compose Specification asks for', compose, [
    '-format',
    'json',
    'docker-compose.yml',
  ]);
  const { services, secrets } = JSON.parse(printed);
  say(`it has the services ${Object.keys(services).join(', ')}`);
  const misspelt = run(compose, ['-'], { input: 'services: { worker: { image: a, replica: 2 } }\n' });
  if (misspelt.status === 0) throw new Wrong('NOT: the reader refuses a misspelt key');
  say('the reader refuses a misspelt key');
  await checkUiProxy();

  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-secrets-'));
  try {
    const make = [path.join('docker', 'secrets.sh'), folder];
    must('docker/secrets.sh makes every secret', 'sh', make, { input: 'first\nsecond\n' });
    const names = Object.values(secrets).map(({ file }) => path.basename(file));
    const before = must('each of them is there', 'sh', [
      '-c',
      `cd ${folder} && head -c 200 ${names.join(' ')}`,
    ]);
    must('typed again, it asks for nothing', 'sh', make, { input: '' });
    const after = run('sh', ['-c', `cd ${folder} && head -c 200 ${names.join(' ')}`]).stdout;
    if (before !== after) throw new Wrong('NOT: it leaves what is there');
    say('it leaves what is there');
    await rehearse(services, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The S3 server is started as its container is, and a worker and a server with it, by the secrets that were made. */
async function rehearse(services, folder) {
  const {
    entrypoint,
    command: [script],
  } = services.s3;
  const built = must('versitygw is there', process.execPath, ['scripts/test-s3.mjs', 'build']);
  if (built !== '') say(built.trim());
  const port = await freePort();
  const here = script
    .replaceAll('$$', '$')
    .replaceAll('/run/secrets', folder)
    .replaceAll('/data', path.join(folder, 'data'))
    .replace(':7070', `127.0.0.1:${port}`);
  const PATH = `${path.join(cache, 'versitygw-1.8.0')}${path.delimiter}${process.env.PATH}`;
  const server = spawn(entrypoint[0], [...entrypoint.slice(1), here], {
    env: { ...process.env, PATH },
    stdio: 'ignore',
  });
  try {
    const health = `http://127.0.0.1:${port}/health`;
    for (let tries = 1; !(await fetch(health).catch(() => undefined))?.ok; tries += 1) {
      if (tries > 100) throw new Wrong('NOT: it answers at /health');
      await sleep(100);
    }
    say('it answers at /health');
    await rehearseContainers(services, folder, `http://127.0.0.1:${port}`);
  } finally {
    server.kill();
  }
}
