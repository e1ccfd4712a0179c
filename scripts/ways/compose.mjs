import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { goTool } from './go-tool.mjs';
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
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
