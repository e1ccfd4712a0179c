import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';
import { root } from '../commands.mjs';
import { say, Wrong } from './run.mjs';

/**
 * A worker and a server are started as their containers are, by the configuration of docker-compose.yml, with the
 * secrets in `folder` and the bucket at `bucket`, against a Temporal server of this machine. Their health is asked as
 * the containers' is. The portals of the sample are never called.
 */
export async function rehearseContainers(services, folder, bucket) {
  const { findTemporalCli } = createRequire(import.meta.url)(
    path.join(root, 'dist/temporal/dev-server/temporal-cli.js'),
  );
  const { path: temporal } = await findTemporalCli();
  const [temporalPort, metrics, serve] = [await freePort(), await freePort(), await freePort()];
  const here = (text) =>
    text
      .replaceAll('/run/secrets', folder)
      .replaceAll('http://s3:7070', bucket)
      .replaceAll('temporal:7233', `127.0.0.1:${temporalPort}`)
      .replaceAll(':9464', `:${metrics}`)
      .replaceAll(':8350', `:${serve}`);
  const work = path.join(folder, 'srv');
  await mkdir(work);
  const sample = await readFile(path.join(root, 'docker', 'portolan.yaml'), 'utf8');
  await writeFile(path.join(work, 'portolan.yaml'), here(sample));

  const env = { ...process.env, PORTOLAN_CONFIG: path.join(work, 'portolan.yaml') };
  const start = (command, args) => spawn(command, args, { cwd: work, env, stdio: 'ignore' });
  const portolan = path.join(root, 'dist', 'cli', 'main.js');
  const started = [start(temporal, ['server', 'start-dev', '--headless', '--port', String(temporalPort)])];
  try {
    await until('Temporal answers', () => isOpen(temporalPort));
    const worker = start(process.execPath, [portolan, ...services.worker.command]);
    const server = start(process.execPath, [portolan, ...services.serve.command]);
    started.push(worker, server);
    for (const [name, { healthcheck }] of Object.entries({
      worker: services.worker,
      serve: services.serve,
    })) {
      const [, ...check] = healthcheck.test.map(here);
      await until(`the health of ${name} is what its container is asked for`, () => endsWell(check));
    }
    const asked = { host: '127.0.0.1', port: serve, path: '/readyz' };
    await until('serve is ready, by its address', () => answers(200, { ...asked, host: '0.0.0.0' }));
    await until('and by serve.url', () => answers(200, asked));
    await until('and by no other name', () => answers(421, { ...asked, headers: { host: 'a.example' } }));
    for (const child of [worker, server]) {
      child.kill('SIGTERM');
      const [status, signal] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
      if (status !== 0) throw new Wrong(`NOT: both end when they are asked to (${status ?? signal})`);
    }
    say('both end when they are asked to');
    const left = (await readdir(work)).filter((name) => name !== 'portolan.yaml');
    if (left.length > 0) throw new Wrong(`NOT: they write nothing beside portolan.yaml: ${left.join(', ')}`);
    say('they write nothing beside portolan.yaml');
  } finally {
    for (const child of started) child.kill('SIGKILL');
  }
}

async function until(what, look) {
  for (let tries = 1; !(await look()); tries += 1) {
    if (tries > 240) throw new Wrong(`NOT: ${what}`);
    await sleep(250);
  }
  say(what);
}

const isOpen = (port) => answers(undefined, { host: '127.0.0.1', port });

const endsWell = async ([command, ...args]) => {
  const [status] = await once(spawn(command, args, { stdio: 'ignore' }), 'exit');
  return status === 0;
};

/** Whether a request is answered with a status, or, where none is asked for, whether anybody takes the connection. */
const answers = (status, request) =>
  new Promise((resolve) => {
    http
      .get({ timeout: 10_000, ...request }, (response) => {
        response.resume();
        resolve(status === undefined || response.statusCode === status);
      })
      .once('error', ({ code }) => resolve(status === undefined && code !== 'ECONNREFUSED'));
  });
