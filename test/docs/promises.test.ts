import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from './pages';

const runner = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const reporter = path.join(root, 'test', 'support', 'promise-reporter.js');

/** A tag in a title of the sample, which must not count as a tag of this file. */
const tag = (id: string): string => `[${id}]`;

const suite = `
  describe('calls ${tag('P01')}', () => {
    test('are sent once', () => {});
  });
  test.each(['a', 'b'])('go to no $other: %s ${tag('P02')}', () => {});
`;
const faults = `
  test.skip('keeps nothing ${tag('P01')}', () => {});
  const leftOut = () => undefined;
  const itLong = leftOut;
  leftOut('says nothing ${tag('P02')}');
  itLong('takes long ${tag('P02')}');
  test('is sent once ${tag('P09')}', () => {});
`;

describe('a whole test run', () => {
  let folder: string;
  const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text);

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'portolan-promises-')));
    mkdirSync(path.join(folder, 'test'));
    const project = { rootDir: folder, transform: {}, testMatch: ['<rootDir>/test/*.test.js'] };
    const config = { rootDir: folder, reporters: [[reporter, {}]], projects: [project] };
    write('jest.config.json', JSON.stringify(config));
    write('test/calls.test.js', suite);
    write('test/kills.long.js', `test('keeps all ${tag('P02')}', () => {});`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(faulty: boolean, ...paths: readonly string[]) {
    write(
      'SECURITY.md',
      ['P01', 'P02', ...(faulty ? ['P03'] : [])].map((id) => `- **${id}** Yes.`).join('\n'),
    );
    write('test/faulty.test.js', faulty ? faults : "test('passes', () => {});");
    const { status, stderr } = spawnSync(process.execPath, [runner, '-i', '--no-cache', ...paths], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, printed: stderr.trim() };
  }

  it('fails if a tagged test was skipped or did not run, a promise has no test, or a tag no promise', () => {
    expect(run(true)).toEqual({
      status: 1,
      printed: [
        'Promises of SECURITY.md that this run does not hold:',
        '  P03 has no test',
        `  P09 is no promise: test/faulty.test.js › is sent once ${tag('P09')}`,
        `  P01 was skipped: test/faulty.test.js › keeps nothing ${tag('P01')}`,
        `  P02 did not run: test/faulty.test.js › says nothing ${tag('P02')}`,
      ].join('\n'),
    });
  });

  it('passes if every tagged test that it runs has passed, whatever other commands run', () => {
    expect(run(false)).toEqual({ status: 0, printed: '' });
  });

  it('passes if it was limited to some files', () => {
    expect(run(true, 'calls')).toEqual({ status: 0, printed: '' });
  });
});
