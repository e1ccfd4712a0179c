const { readFileSync } = require('node:fs');
const path = require('node:path');

/** A row of SECURITY.md: what is promised, the test's file, the command of a suite that takes long, the test's title. */
const row =
  /^\| (?<promise>.+?) \| `(?<file>test\/[^`]+)`(?: \(`(?<command>[^`]+)`\))? \| (?<title>.+) \|$/gm;

const promisesOf = (page) =>
  [...page.matchAll(row)].map(({ groups }) => ({ ...groups, command: groups.command ?? 'npm test' }));

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A title as it is written, `%s` and `$name` standing for whatever a table of cases puts there. */
const patternOf = (title) =>
  new RegExp(
    `^${title
      .split(/%[a-z%#]|\$[\w.#]+/)
      .map(escaped)
      .join('.*')}$`,
    's',
  );

/** Why a promise is not held by this run; undefined where its test passed. */
function whyNotHeld({ file, title }, results) {
  const suite = results.find((each) => each.file === file);
  if (suite === undefined) return 'its file was not run';
  const statuses = suite.tests
    .filter((each) => patternOf(title).test(each.title))
    .map(({ status }) => status);
  if (statuses.length === 0) return 'no test of that title was run';
  const other = statuses.find((status) => status !== 'passed');
  return other && (other === 'failed' ? 'its test failed' : 'its test was skipped');
}

/**
 * Fails a whole run in which the test of a promise has not passed: one that was skipped, renamed, or taken out of what
 * the command runs. A run of some files, names or projects is none.
 *
 * Options: `command`, whose promises they are, by default `npm test`; `page`, by default SECURITY.md.
 */
module.exports = class PromiseReporter {
  constructor(globalConfig, { command = 'npm test', page = 'SECURITY.md' } = {}) {
    this.globalConfig = globalConfig;
    this.command = command;
    this.page = page;
  }

  onRunComplete(contexts, { testResults }) {
    const { rootDir, projects, testPathPatterns, testNamePattern, shard, onlyChanged, onlyFailures } =
      this.globalConfig;
    const isLimited = testPathPatterns.patterns.length > 0 || testNamePattern || shard || onlyChanged;
    if (isLimited || onlyFailures || contexts.size < projects.length) return;
    const results = testResults.map(({ testFilePath, testResults: tests }) => ({
      file: path.relative(rootDir, testFilePath).replaceAll('\\', '/'),
      tests,
    }));
    const notHeld = promisesOf(readFileSync(path.join(rootDir, this.page), 'utf8'))
      .filter(({ command }) => command === this.command)
      .map((promise) => ({ ...promise, why: whyNotHeld(promise, results) }))
      .filter(({ why }) => why !== undefined);
    if (notHeld.length === 0) return;
    const lines = notHeld.map(
      ({ promise, file, title, why }) => `  ${promise}\n    ${why}: ${file} › ${title}`,
    );
    this.error = new Error(`Promises of ${this.page} that this run does not hold:\n${lines.join('\n')}`);
    process.stderr.write(`\n${this.error.message}\n`);
  }

  getLastError() {
    return this.error;
  }
};
