import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from './pages';

const runner = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const reporter = path.join(root, 'test', 'support', 'promise-reporter.js');

const held = [
  ['Nothing is sent twice.', '`test/calls.test.js`', 'is sent once'],
  ['Nothing is sent to others.', '`test/calls.test.js`', 'goes to no $other: %s'],
  ['Kills cost nothing.', '`test/kills.long.js` (`npm run test:kills`)', 'goes on'],
];
const notHeld = [
  ['Nothing is kept.', '`test/calls.test.js`', 'keeps nothing'],
  ['Nothing is said.', '`test/calls.test.js`', 'says nothing'],
  ['Nothing is read.', '`test/kills.long.js`', 'goes on'],
];

const suite = `
  test('is sent once', () => {});
  test.each(['a', 'b'])('goes to no $other: %s', () => {});
  test.skip('keeps nothing', () => {});
`;

describe('a run of the tests', () => {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'portolan-promises-')));
    mkdirSync(path.join(folder, 'test'));
    writeFileSync(path.join(folder, 'test', 'calls.test.js'), suite);
    writeFileSync(path.join(folder, 'test', 'kills.long.js'), "test('goes on', () => {});");
    const project = { rootDir: folder, transform: {}, testMatch: ['<rootDir>/test/*.test.js'] };
    const config = { rootDir: folder, reporters: [[reporter, {}]], projects: [project] };
    writeFileSync(path.join(folder, 'jest.config.json'), JSON.stringify(config));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(promises: readonly string[][], ...paths: readonly string[]) {
    const rows = promises.map((cells) => `| ${cells.join(' | ')} |`);
    const page = ['| Promise | Test | Its words |', '| --- | --- | --- |', ...rows].join('\n');
    writeFileSync(path.join(folder, 'SECURITY.md'), page);
    const { status, stderr } = spawnSync(process.execPath, [runner, '-i', '--no-cache', ...paths], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, said: stderr.trim() };
  }

  it('fails where the test of a promise was skipped, is not there, or in a suite that is not run, and names it', () => {
    expect(run([...held, ...notHeld])).toEqual({
      status: 1,
      said: [
        'Promises of SECURITY.md that this run does not hold:',
        '  Nothing is kept.',
        '    its test was skipped: test/calls.test.js › keeps nothing',
        '  Nothing is said.',
        '    no test of that title was run: test/calls.test.js › says nothing',
        '  Nothing is read.',
        '    its file was not run: test/kills.long.js › goes on',
      ].join('\n'),
    });
  });

  it('passes where each promise was held, or is that of another command', () => {
    expect(run(held)).toEqual({ status: 0, said: '' });
  });

  it('passes where it was limited to some files', () => {
    expect(run([...held, ...notHeld], 'calls')).toEqual({ status: 0, said: '' });
  });
});
