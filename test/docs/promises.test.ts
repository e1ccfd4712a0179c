import { aFolder } from '../support/folder';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';

const folder = aFolder();

interface Reporter {
  onRunComplete(contexts: ReadonlySet<unknown>, results: unknown): void;
  getLastError(): Error | undefined;
}
const PromiseReporter = jest.requireActual<new (config: unknown) => Reporter>('../support/promise-reporter');

/** A tag in a title of the sample, which must not count as a tag of this file. */
const tag = (id: string) => `[${id}]`;

const calls = `
  test('calls once ${tag('P01')}', () => {});
  test.each(['a', 'b'])('goes to no $other: %s ${tag('P02')}', () => {});
`;
const faults = `
  test('is skipped ${tag('P01')}', () => {});
  leftOut('does not run ${tag('P02')}');
  itLong('runs in another command ${tag('P02')}');
  test('has no promise ${tag('P09')}', () => {});
`;

const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text);
beforeAll(() => {
  mkdirSync(path.join(folder, 'test'));
  write('test/calls.test.js', calls);
  write('test/kills.long.js', `test('keeps all ${tag('P02')}', () => {});`);
});

/** The error of a run of these tests. @param patterns to which the run is limited */
function errorOf(promises: readonly string[], tests: Record<string, string[][]>, patterns: string[] = []) {
  write('SECURITY.md', promises.map((id) => `- **${id}** Yes.`).join('\n'));
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const reporter = new PromiseReporter({
    rootDir: folder,
    projects: [{}],
    testPathPatterns: { patterns },
  });
  const testResults = Object.entries(tests).map(([file, results]) => ({
    testFilePath: path.join(folder, file),
    testResults: results.map(([fullName = '', status = 'passed']) => ({ fullName, status })),
  }));
  reporter.onRunComplete(new Set([1]), { testResults });
  written.mockRestore();
  return reporter.getLastError()?.message;
}

const passed = {
  'test/calls.test.js': [
    [`calls once ${tag('P01')}`],
    [`goes to no b: a ${tag('P02')}`],
    [`goes to no b: b ${tag('P02')}`],
  ],
};

describe('a whole test run', () => {
  it('holds its promises when each tagged test passed', () => {
    write('test/faulty.test.js', '');
    expect(errorOf(['P01', 'P02'], passed)).toBeUndefined();
  });

  it('breaks promises without a test, and tests that did not pass', () => {
    write('test/faulty.test.js', faults);
    const tests = {
      ...passed,
      'test/faulty.test.js': [[`is skipped ${tag('P01')}`, 'pending'], [`has no promise ${tag('P09')}`]],
    };
    const promises = ['P01', 'P02', 'P03'];
    expect(errorOf(promises, tests)?.split('\n').slice(1)).toEqual([
      '  P03 has no test',
      `  P09 is no promise: test/faulty.test.js › has no promise ${tag('P09')}`,
      `  P01 was skipped: test/faulty.test.js › is skipped ${tag('P01')}`,
      `  P02 did not run: test/faulty.test.js › does not run ${tag('P02')}`,
    ]);
    expect(errorOf(promises, tests, ['calls'])).toBeUndefined();
  });
});
