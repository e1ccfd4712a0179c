const path = require('node:path');
const { readPromises, readTags } = require('./promises');

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A title from the source, whose placeholders (`%s`, `$name`, `${name}`) match any text. */
const patternOf = (title) =>
  new RegExp(
    title
      .split(/%[a-z%#]|\$\{[^}]*\}|\$[\w.#]+/)
      .map(escaped)
      .join('.*'),
    's',
  );

/** Why a tagged title holds nothing in this run; undefined if all its tests passed. */
function whyNotHeld({ file, title }, tests) {
  const found = tests.filter((test) => test.file === file && patternOf(title).test(test.fullName));
  if (found.length === 0) return 'did not run';
  const other = found.find(({ status }) => status !== 'passed');
  return other && (other.status === 'failed' ? 'failed' : 'was skipped');
}

/**
 * Fails a whole run if a tagged test did not run and pass, if a tag names no promise of SECURITY.md, or, in `npm test`, if
 * a promise has no tagged test. Runs that are limited to files, names or projects are not checked.
 *
 * Option `command`: the command that runs these suites, `npm test` by default.
 */
module.exports = class PromiseReporter {
  constructor(globalConfig, { command = 'npm test' } = {}) {
    this.globalConfig = globalConfig;
    this.command = command;
  }

  onRunComplete(contexts, { testResults }) {
    const { rootDir, projects, testPathPatterns, testNamePattern, shard, onlyChanged, onlyFailures } =
      this.globalConfig;
    const isLimited = testPathPatterns.patterns.length > 0 || testNamePattern || shard || onlyChanged;
    if (isLimited || onlyFailures || contexts.size < projects.length) return;
    const tests = testResults.flatMap(({ testFilePath, testResults: ofFile }) =>
      ofFile.map(({ fullName, status }) => ({
        file: path.relative(rootDir, testFilePath),
        fullName,
        status,
      })),
    );
    const promises = readPromises(rootDir);
    const tags = readTags(rootDir);
    const problems = [
      ...[...promises.keys()]
        .filter((id) => this.command === 'npm test' && !tags.some(({ ids }) => ids.includes(id)))
        .map((id) => `${id} has no test`),
      ...tags.flatMap(({ file, title, ids }) =>
        ids.filter((id) => !promises.has(id)).map((id) => `${id} is no promise: ${file} › ${title}`),
      ),
      ...tags
        .filter(({ command }) => command === this.command)
        .map((tag) => ({ ...tag, why: whyNotHeld(tag, tests) }))
        .filter(({ why }) => why !== undefined)
        .map(({ file, title, ids, why }) => `${ids.join(', ')} ${why}: ${file} › ${title}`),
    ];
    if (problems.length === 0) return;
    this.error = new Error(
      `Promises of SECURITY.md that this run does not hold:\n  ${problems.join('\n  ')}`,
    );
    process.stderr.write(`\n${this.error.message}\n`);
  }

  getLastError() {
    return this.error;
  }
};
