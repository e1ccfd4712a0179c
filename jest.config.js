const compiled = (jsc) => [
  '<rootDir>/test/support/compiled.js',
  { jsc: { target: 'es2022', ...jsc }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
];
const transform = {
  '^.+\\.ts$': compiled({ parser: { syntax: 'typescript', decorators: true } }),
  '^.+\\.tsx$': compiled({
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic', importSource: 'preact' } },
  }),
};

/** Rooms whose suites use the Temporal server of the test run; the others neither start nor wait for it. */
const temporalRooms = ['workflows', 'cli', 'serve', 'transfers'];

const common = {
  // One for all, so that they share what is compiled.
  id: 'portolan',
  transform,
  testEnvironment: '<rootDir>/test/support/environment.js',
  setupFiles: ['forget-storages', 'share-modules'].map((name) => `<rootDir>/test/support/${name}.ts`),
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // A lazy `import('./x.js')` of a compiled file is its source here.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};
const inTemporalRoom = `<rootDir>/test/(${temporalRooms.join('|')})/`;

/** @type {import('jest').Config} */
module.exports = {
  // Most suites wait for portals and timers more than they compute.
  maxWorkers: 6,
  reporters: ['default', ['<rootDir>/test/support/promise-reporter.js', {}]],
  testSequencer: '<rootDir>/test/support/waiting-first.js',
  // Generous, for slow machines: no test waits for it.
  testTimeout: 300_000,
  projects: [
    {
      ...common,
      displayName: 'plain',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', inTemporalRoom],
    },
    {
      ...common,
      displayName: 'temporal',
      testMatch: temporalRooms.map((room) => `<rootDir>/test/${room}/**/*.test.ts`),
      globalSetup: '<rootDir>/test/support/start-temporal.ts',
      globalTeardown: '<rootDir>/test/support/stop-temporal.ts',
    },
  ],
};
