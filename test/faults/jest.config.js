const { projects } = require('../../jest.config.js');

const [plain] = projects;

// Each way of a portal and each lost answer by itself, the history of many items, more orders of what happens at once, and
// every example that goes on until it is stopped; `npm test` tries several ways at a time, and fewer of the others.
process.env.PORTOLAN_TEST_FAULTS = 'alone';

/** Every fault at every call that a sync makes, a sync each. `npm run test:faults` */
module.exports = {
  ...plain,
  rootDir: '../..',
  displayName: 'faults',
  reporters: ['default', ['<rootDir>/test/support/promise-reporter.js', { command: 'npm run test:faults' }]],
  testMatch: [
    '<rootDir>/test/faults/*.long.ts',
    '<rootDir>/test/workflows/**/*.long.ts',
    '<rootDir>/test/cli/**/*.long.ts',
    '<rootDir>/test/cli/examples.test.ts',
    '<rootDir>/test/domain/snapshot/at-once.test.ts',
    '<rootDir>/test/workflows/run/history.test.ts',
    '<rootDir>/test/workflows/run/lost-answers.test.ts',
    '<rootDir>/test/workflows/transfer/ways-of-portals.test.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 300_000,
  maxWorkers: 2,
  maxConcurrency: 6,
  globalSetup: '<rootDir>/test/faults/start.ts',
  globalTeardown: '<rootDir>/test/faults/stop.ts',
};
