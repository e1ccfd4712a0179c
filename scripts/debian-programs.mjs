// Programs of a Debian package that a suite runs: those on PATH, else unpacked into the project's cache folder. Nothing is
// installed.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { cache, makeWhole, runner } from './commands.mjs';

/** The folder that holds all of the programs; undefined if there is none and they cannot be fetched. */
export async function findPrograms(debianPackage, programs, say) {
  const run = runner(say);
  const unpacked = path.join(cache, `${debianPackage}-debian`);
  const folders = [
    ...(process.env.PATH ?? '').split(path.delimiter),
    ...['bin', 'sbin'].map((name) => path.join(unpacked, 'usr', name)),
  ];
  const found = () => folders.find((folder) => programs.every((name) => existsSync(path.join(folder, name))));
  const unpack = async (cwd) => {
    // Who is root fetches as root: the account that apt has for it may not write here.
    const download = () =>
      run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', debianPackage], { cwd });
    say(`fetches Debian's package ${debianPackage} with apt-get, which checks its signature: once`);
    if (download() !== 0) {
      say('apt-get knows no such package: looks anew which there are');
      const status = run('apt-get', ['update']) || download();
      if (status !== 0) return status;
    }
    const file = (await readdir(cwd)).find((name) => name.endsWith('.deb'));
    return run('dpkg-deb', ['--extract', file, 'whole'], { cwd });
  };
  return found() ?? ((await makeWhole(unpacked, unpack, 'whole')) === 0 ? found() : undefined);
}
