// Prints each promise of SECURITY.md with its tests. `npm run promises P07` prints one promise.
import { createRequire } from 'node:module';
import { root } from './commands.mjs';

const { readPromises, readTags } = createRequire(import.meta.url)('../test/support/promises.js');
const tags = readTags(root);
const [, , only] = process.argv;
for (const [id, text] of readPromises(root)) {
  if (only !== undefined && only !== id) continue;
  const tests = tags
    .filter(({ ids }) => ids.includes(id))
    .map(({ file, title, command }) => {
      const suite = command === 'npm test' ? '' : ` (${command})`;
      return `    ${file} › ${title.replace(/ (?:\[P\d\d\])+$/, '')}${suite}`;
    });
  console.log([`${id} ${text}`, ...tests].join('\n'));
}
