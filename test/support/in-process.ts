import path from 'node:path';
import { Writable } from 'node:stream';
import { expect, jest } from '@jest/globals';
import { runProgram } from '../../src/cli/program';
import type { ChildOptions, Ended } from './child';

// It redraws lines of a terminal, which these commands lack, and jest cannot load modules of its kind.
jest.mock('log-update', () => ({}));

// Commands never prompt here, also if jest itself runs at a terminal.
process.stdin.isTTY = false;

/**
 * Runs a command in this process and without a terminal, which takes a tenth of the work of one of its own. Several may
 * run at a time. Its folder's portolan.yaml is read if the command names none; that folder is one for the whole suite.
 */
export async function inProcess(
  args: readonly string[],
  { cwd }: Partial<Pick<ChildOptions, 'cwd'>> = {},
): Promise<Ended> {
  if (cwd !== undefined) process.env['PORTOLAN_CONFIG'] = path.join(cwd, 'portolan.yaml');
  const written = { stdout: '', stderr: '' };
  const streamOf = (name: keyof typeof written): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name] += chunk.toString();
        done();
      },
    });
  const terminal = { stdout: streamOf('stdout'), stderr: streamOf('stderr'), exitCode: 0 };
  await runProgram(['node', 'portolan', ...args], terminal);
  return { ...written, status: terminal.exitCode };
}

/** Expects how a command ends, and each of these words on stdout or on stderr. */
export async function expectEnd(
  command: Ended | Promise<Ended>,
  status: number,
  ...words: readonly (RegExp | string)[]
) {
  const ended = await command;
  const { stdout, stderr } = ended;
  const isSaid = (each: RegExp | string): boolean =>
    [stdout, stderr].some((text) => (typeof each === 'string' ? text.includes(each) : each.test(text)));
  const missing = words.filter((each) => !isSaid(each));
  expect({ ...ended, missing }).toEqual({ ...ended, status, missing: [] });
  return ended;
}

/** The same of a command that prints nothing on stdout. */
export async function expectRefused(
  command: Ended | Promise<Ended>,
  status: number,
  ...words: readonly (RegExp | string)[]
) {
  const ended = await expectEnd(command, status, ...words);
  expect(ended.stdout).toBe('');
  return ended;
}
