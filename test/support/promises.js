const { existsSync, readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');

/** The promises of SECURITY.md by their numbers: `- **P07** Every requested item …` */
const readPromises = (root) =>
  new Map(
    [...readFileSync(path.join(root, 'SECURITY.md'), 'utf8').matchAll(/^- \*\*(P\d\d)\*\* (.+)$/gm)].map(
      ([, id, text]) => [id, text],
    ),
  );

/** A title with a tag, perhaps behind `itLong(` or `describeLong(` (long.ts). */
const tagged = /(?:\b(itLong|describeLong)\(\s*)?(['"`])((?:(?!\2).)*\[P\d\d\])\2/g;

/** The command that runs a test file. `npm run test:faults` runs the long suites of the other folders. */
function commandOf(root, file) {
  if (/\.test\.[jt]s$/.test(file)) return 'npm test';
  const [folder] = file.split('/').slice(1);
  return `npm run test:${existsSync(path.join(root, 'test', folder, 'jest.config.js')) ? folder : 'faults'}`;
}

/** Every title of a suite or test that has a promise's number in square brackets, as it is in the source. */
const readTags = (root) =>
  readdirSync(path.join(root, 'test'), { recursive: true })
    .map((name) => `test/${name}`)
    .filter((file) => /\.(?:test|long)\.[jt]s$/.test(file))
    .sort()
    .flatMap((file) =>
      [...readFileSync(path.join(root, file), 'utf8').matchAll(tagged)].map(([, itLong, , title]) => ({
        file,
        title,
        command: itLong ? 'npm run test:faults' : commandOf(root, file),
        ids: [...title.matchAll(/\[(P\d\d)\]/g)].map(([, id]) => id),
      })),
    );

module.exports = { readPromises, readTags };
