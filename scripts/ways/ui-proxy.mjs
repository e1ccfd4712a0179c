import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../commands.mjs';
import { findPrograms } from '../debian-programs.mjs';
import { freePort } from './free-port.mjs';
import { say, Wrong } from './run.mjs';

/** nginx runs docker/web-ui.conf before something that answers any request, as Temporal's Web UI does. */
export async function checkUiProxy() {
  const programs = await findPrograms('nginx', ['nginx'], say);
  if (programs === undefined) throw new Wrong('nginx is not here. Put it on PATH, and try again');
  const asked = [];
  const behind = http.createServer((request, response) => {
    asked.push(request.headers);
    response.writeHead(201).end();
  });
  await new Promise((resolve) => behind.listen(0, '127.0.0.1', resolve));
  const port = await freePort();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-ui-proxy-'));
  const conf = await readFile(path.join(root, 'docker', 'web-ui.conf'), 'utf8');
  const here = conf
    .replaceAll('8233', String(port))
    .replace('temporal-ui:8080', `127.0.0.1:${behind.address().port}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${each};`,
  );
  await writeFile(
    path.join(folder, 'nginx.conf'),
    `daemon off; pid nginx.pid; events {} http { access_log off; ${temporary.join(' ')}\n${here} }`,
  );
  const nginx = spawn(path.join(programs, 'nginx'), ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], {
    stdio: 'ignore',
  });
  try {
    const own = `localhost:${port}`;
    const ask = (headers, method = 'GET') =>
      new Promise((resolve) =>
        http
          .request({ host: '127.0.0.1', port, method, headers: { host: own, ...headers }, agent: false })
          .once('response', (response) => resolve(response.resume().statusCode))
          .once('error', () => resolve(undefined))
          .end(),
      );
    for (let tries = 1; (await ask({})) === undefined; tries += 1) {
      if (tries > 100) throw new Wrong('NOT: nginx runs docker/web-ui.conf');
      await sleep(100);
    }
    const ofPage = { origin: `http://${own}`, 'sec-fetch-site': 'same-origin', authorization: 'Bearer x' };
    const passed = [
      await ask({ host: `127.0.0.1:${port}` }),
      await ask({ 'sec-fetch-site': 'none' }),
      await ask(ofPage, 'POST'),
    ];
    if (passed.some((status) => status !== 201)) throw new Wrong(`NOT: its own pages pass: ${passed.join()}`);
    if (asked.some(({ authorization }) => authorization))
      throw new Wrong('NOT: no Authorization header passes');
    const before = asked.length;
    const refused = [
      await ask({ host: `evil.example:${port}` }),
      await ask({ host: `localhost.evil.example:${port}` }),
      await ask({ origin: 'http://evil.example' }, 'POST'),
      await ask({ origin: 'null' }, 'POST'),
      await ask({ origin: 'http://localhost:1' }, 'POST'),
      await ask({ 'sec-fetch-site': 'cross-site' }),
      await ask({ 'sec-fetch-site': 'same-site' }),
    ];
    if (refused.some((status) => status !== 403) || asked.length > before)
      throw new Wrong(`NOT: requests of other pages and names are refused: ${refused.join()}`);
    say("the proxy of Temporal's Web UI passes requests of its own pages only");
  } finally {
    nginx.kill();
    behind.close();
    await rm(folder, { recursive: true, force: true });
  }
}
