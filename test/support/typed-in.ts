import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import type { RunRecord } from '../../src/model/run/run';
import { expectEnd, inProcess } from './in-process';
import { jsonOf, recordOf as recordIn } from './json';
import { until } from './until';

/** The words of a line as a shell has them: a text in double quotes is one. */
export const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);

const hasEnded = ({ finishedAt }: RunRecord) => finishedAt !== undefined;

/** Commands that are typed in a folder with a portolan.yaml. */
export function typedIn(folder: () => string) {
  /** The first is a line, which more words can follow as they are. */
  const run = (...[line = '', ...more]: string[]) =>
    inProcess([...wordsOf(line), ...more], { cwd: folder() });
  /** Expects how it ends, and each of these words on stdout or on stderr. */
  const expectRun = (line: string, status: number, ...words: (RegExp | string)[]) =>
    expectEnd(run(line), status, ...words);
  /** What a command prints as JSON. */
  const json = async <T>(...line: string[]) => jsonOf<T>(await run(...line, '-o', 'json'));
  const recordOf = async (...line: string[]) => recordIn(await run(...line, '-o', 'json'));
  /** A run as `run show` prints it, once it is so. */
  const shown = (runId: string, isSo: (record: RunRecord) => boolean = hasEnded) =>
    until(`${runId} to get there`, () => recordOf(`run show ${runId}`), isSo);
  const file = () => path.join(folder(), 'portolan.yaml');
  /** What portolan.yaml says. */
  const given = <T = object>() => parse(readFileSync(file(), 'utf8')) as T;
  /** Writes a file that says something else under these headings. */
  const configure = (changes: object, to = file()) =>
    writeFileSync(to, stringify({ ...given(), ...changes }));
  return { run, expectRun, json, recordOf, shown, given, configure };
}
