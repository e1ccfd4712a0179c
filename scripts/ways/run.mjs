import { spawnSync } from 'node:child_process';
import { root, sayAs } from '../commands.mjs';

export const say = sayAs('ways');

/** What is wrong with a way to run; the rest of the checks goes on. */
export class Wrong extends Error {}

/** Runs a command in the project's folder and gives back how it ended, with what it printed. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, ...options });
  return { status: done.status ?? 1, stdout: done.stdout ?? '', stderr: done.stderr ?? String(done.error) };
}

/** Throws unless the command ends with 0; gives back what it printed on stdout. */
export function must(what, command, args, options) {
  const { status, stdout, stderr } = run(command, args, options);
  if (status !== 0) throw new Wrong(`NOT: ${what}\n${stdout}${stderr}`);
  say(what);
  return stdout;
}
