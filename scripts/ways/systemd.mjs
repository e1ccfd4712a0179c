import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { has, root } from '../commands.mjs';
import { must, run, say, Wrong } from './run.mjs';

const units = path.join(root, 'deploy', 'systemd');

/** The services are read by `systemd-analyze verify`, which says of every line that it does not know. */
export async function checkSystemd() {
  if (!has('systemd-analyze', '--version'))
    throw new Wrong('systemd-analyze is not on PATH; these services are checked on a machine with systemd');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-systemd-'));
  try {
    for (const name of (await readdir(units)).filter((file) => file.endsWith('.service'))) {
      // It looks whether the program is there, and here it is not installed.
      const text = (await readFile(path.join(units, name), 'utf8')).replace(
        '/usr/local/bin/portolan',
        process.execPath,
      );
      const file = path.join(folder, name);
      await writeFile(file, text);
      if (complaints(file) !== '')
        throw new Wrong(`NOT: systemd knows every line of ${name}\n${complaints(file)}`);
      say(`systemd knows every line of deploy/systemd/${name}`);
      const exposure = ['security', '--offline=true', '--threshold=20', file];
      must(
        'and is content with what it may do (systemd-analyze security, below 2)',
        'systemd-analyze',
        exposure,
      );
      await writeFile(file, text.replace('ProtectHome=', 'ProtectHomme='));
      if (complaints(file) === '') throw new Wrong('NOT: it says of a misspelt line');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function complaints(file) {
  const { stdout, stderr } = run('systemd-analyze', ['verify', '--man=no', file]);
  return `${stdout}${stderr}`.trim();
}
