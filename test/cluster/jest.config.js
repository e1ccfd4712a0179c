const { projects } = require('../../jest.config.js');

const [, temporal] = projects;

const suites = [
  'cli/{examples,usage}',
  'cli/promotion/{promotions,failing-promotions}',
  'cli/release/releases',
  'cli/run/*',
  'cli/snapshot/{backup,snapshots}',
  'serve/{api,hooks,operating,page,sign-in,watches}',
  'workflows/{bisect,portal-queue,snapshot,transfer}/*',
  'workflows/run/{authentic,recheck-guards,notify,parked,refusals,signed-hooks,taken-over}',
];

const longSuites = ['serve/kills', 'faults/stopped-worker', 'workflows/run/signed-hooks-kills'];

/** The suites of syncs, faults, kills, backups, promotions and the page, on a production server. `npm run test:cluster` */
module.exports = {
  ...temporal,
  rootDir: '../..',
  displayName: 'cluster',
  testMatch: [
    '<rootDir>/test/cluster/*.long.ts',
    ...suites.map((suite) => `<rootDir>/test/${suite}.test.ts`),
    ...longSuites.map((suite) => `<rootDir>/test/${suite}.long.ts`),
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 300_000,
  maxWorkers: 2,
  reporters: ['default', ['<rootDir>/test/support/promise-reporter.js', { command: 'npm run test:cluster' }]],
  globalSetup: '<rootDir>/test/cluster/start.ts',
};
