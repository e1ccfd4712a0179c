// Lints texts as if each stood in its file of src: takes `[{ file, text }]` as JSON on standard input, and prints for
// each its messages of the rules for imports.
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';

const rules = [
  'import-x/no-restricted-paths',
  'portolan/no-circle',
  '@typescript-eslint/no-restricted-imports',
];

const eslint = new ESLint({
  ruleFilter: ({ ruleId }) => rules.includes(ruleId),
  // Rules for imports need no types, and types take long.
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
});

const results = [];
for (const { file, text: code } of JSON.parse(await text(process.stdin))) {
  const [{ messages }] = await eslint.lintText(code, { filePath: file });
  results.push(messages.map(({ ruleId, message }) => ({ ruleId, message })));
}
console.log(JSON.stringify(results));
