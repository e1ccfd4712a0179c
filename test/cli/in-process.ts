import { jest } from '@jest/globals';
import { runProgram } from '../../src/cli/program';
import type { Ended } from './child';

/**
 * Runs a command in this process, which takes a tenth of the time of one of its own: for commands that load nothing
 * that only a process of its own can load. One at a time.
 */
export async function inProcess(args: readonly string[]): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  const out = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  const err = jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  const before = process.exitCode;
  try {
    await runProgram(['node', 'portolan', ...args]);
    return { status: Number(process.exitCode), stdout, stderr };
  } finally {
    process.exitCode = before;
    out.mockRestore();
    err.mockRestore();
  }
}
