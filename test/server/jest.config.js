const { projects } = require('../../jest.config.js');

const [, temporal] = projects;

// See test/support/via-server.ts: what the suites type asks a server.
process.env.PORTOLAN_TEST_VIA = 'server';

const suites = [
  'cli/{examples,usage}',
  'cli/portal-change/{category-schema,settings,settings-apply}',
  'cli/promotion/{promotions,unattended,when-something-fails}',
  'cli/release/releases',
  'cli/run/{again,altered-records,operators,policy,restart,run-pages,runs,workers}',
  'cli/schedule/schedules',
  'cli/snapshot/{backup,snapshots}',
  'domain/policy/freeze-log',
];

/** The suites of the commands that a server answers, with each of them asking one. `npm run test:server` */
module.exports = {
  ...temporal,
  rootDir: '../..',
  displayName: 'server',
  testEnvironment: '<rootDir>/test/server/environment.js',
  testMatch: [
    ...suites.map((suite) => `<rootDir>/test/${suite}.test.ts`),
    '<rootDir>/test/cli/promotion/*.long.ts',
  ],
  testTimeout: 300_000,
  maxWorkers: 2,
};
