const { projects } = require('../../jest.config.js');

const [plain] = projects;

// Each way of a portal and each lost answer by itself, and the history of many items; `npm test` tries several ways at
// a time, and fewer items.
process.env.PORTOLAN_TEST_FAULTS = 'alone';

/** Every fault at every call that a sync makes, a sync each. `npm run test:faults` */
module.exports = {
  ...plain,
  rootDir: '../..',
  displayName: 'faults',
  testMatch: [
    '<rootDir>/test/faults/*.long.ts',
    '<rootDir>/test/workflows/**/*.long.ts',
    '<rootDir>/test/workflows/run/history.test.ts',
    '<rootDir>/test/workflows/run/lost-answers.test.ts',
    '<rootDir>/test/workflows/transfer/ways-of-portals.test.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 120_000,
  maxWorkers: 2,
  maxConcurrency: 6,
  globalSetup: '<rootDir>/test/faults/start.ts',
  globalTeardown: '<rootDir>/test/faults/stop.ts',
};
