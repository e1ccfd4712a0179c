import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Modules of src/model that load zod: workflow code may take their types, never their code. */
const zodModels = readdirSync('src/model', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .filter((file) => /^import (?!type ).* from 'zod'/m.test(readFileSync(`src/model/${file}`, 'utf8')))
  .map((file) => `**/model/${file.replace(/\.ts$/, '')}`);

const outsideWorkflows = [
  'portal',
  'store',
  'cli',
  'activities',
  'domain',
  'config',
  'secrets',
  'temporal',
  'simulator',
];

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', 'var/', 'coverage/', 'docs/'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // What was caught may be thrown again as it is.
      '@typescript-eslint/only-throw-error': [
        'error',
        { allowThrowingUnknown: true, allowThrowingAny: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'A union is a const object with a derived type.' },
        { selector: 'ExportAllDeclaration', message: 'Import from the file that holds the noun.' },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // Temporal runs this code in a sandbox without Node, and replays it: only deterministic code, and little of it.
    files: ['src/workflows/**/*.ts'],
    rules: {
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: builtinModules
            .filter((name) => name !== 'assert')
            .flatMap((name) => [name, `node:${name}`])
            .map((name) => ({ name, message: 'Workflow code runs without Node.', allowTypeImports: true })),
          patterns: [
            {
              group: [
                ...outsideWorkflows.map((room) => `**/${room}/**`),
                // Names of things in the store and nothing else.
                '!**/store/keys',
                ...zodModels,
                'zod',
                'undici',
                'pino',
              ],
              message: 'Workflow code takes types only from here.',
              allowTypeImports: true,
            },
          ],
        },
      ],
    },
  },
);
