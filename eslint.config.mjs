import { builtinModules } from 'node:module';
import path from 'node:path';
import { defineConfig } from 'eslint/config';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { filesThatLoad } from './scripts/lint/import-graph.mjs';
import { noCircle } from './scripts/lint/no-circle.mjs';
import { arrows } from './scripts/lint/rooms.mjs';

/** Modules of src/model that load zod: workflow code may take their types, never their code. */
const zodModels = filesThatLoad('zod', 'src/model').map(
  (file) => `**/model/${path.relative('src/model', file).replace(/\.ts$/, '')}`,
);

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
    files: ['src/**/*.{ts,tsx}', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
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
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'Write the properties out.',
        },
        { selector: 'ExportAllDeclaration', message: 'Import from the file that holds the noun.' },
        {
          selector: 'JSXAttribute[name.name=/^(dangerouslySetInnerHTML|style|on[A-Z].*)$/]',
          message: 'A page holds no markup of others, no style and no script: see assets/.',
        },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // Arrows between rooms point one way, and no files import each other in a circle.
    files: ['src/**/*.{ts,tsx}'],
    plugins: { 'import-x': importX, portolan: { rules: { 'no-circle': noCircle } } },
    settings: {
      'import-x/resolver-next': [
        createNodeResolver({
          extensions: ['.ts', '.tsx'],
          extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
        }),
      ],
    },
    rules: {
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones: arrows }],
      'portolan/no-circle': 'error',
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
