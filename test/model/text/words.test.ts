import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import path from 'node:path';

const words = path.resolve('dist', 'model', 'text', 'words.js');

/** Time zones are of a process, and this one has its own. */
const timesIn = (zone: string) =>
  execFileSync(
    process.execPath,
    [
      '-e',
      `const { secondWords, timeWords } = require(${JSON.stringify(words)});
       const at = '2026-11-20T16:02:31Z';
       console.log(timeWords(at), secondWords(Date.parse(at)));`,
    ],
    { encoding: 'utf8', env: { ...process.env, TZ: zone } },
  ).trim();

it('a time for people is in the time zone of TZ, with its offset', () => {
  expect(timesIn('')).toBe('2026-11-20 16:02Z 2026-11-20 16:02:31Z');
  expect(timesIn('America/St_Johns')).toBe('2026-11-20 12:32-03:30 2026-11-20 12:32:31-03:30');
});
