const { projects } = require('../../jest.config.js');

const [plain] = projects;

// What test/support/long.ts leaves out of `npm test`: each lost answer by itself, more draws and
// orders of what happens at once, the history of many items, every example, and more cases of what a run can meet.
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
    '<rootDir>/test/serve/*.long.ts',
    '<rootDir>/test/workflows/{bisect,portal-queue,replay,run,snapshot,transfer}/*.test.ts',
    '<rootDir>/test/cli/examples.test.ts',
    '<rootDir>/test/cli/connection/ways-in.test.ts',
    '<rootDir>/test/cli/promotion/{ci-examples,failing-promotions}.test.ts',
    '<rootDir>/test/cli/snapshot/backup.test.ts',
    '<rootDir>/test/domain/snapshot/at-once.test.ts',
    '<rootDir>/test/serve/client.test.ts',
    '<rootDir>/test/temporal/dev-server/{temporal-server,up}.test.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 300_000,
  maxWorkers: 2,
  maxConcurrency: 6,
  // A process for each suite: in one that has run another, Node can lose the context of activities.
  workerIdleMemoryLimit: '64MB',
  globalSetup: '<rootDir>/test/support/start-temporal.ts',
  globalTeardown: '<rootDir>/test/support/stop-temporal.ts',
};
