const { projects } = require('../../jest.config.js');

const temporal = projects.find(({ displayName }) => displayName === 'temporal');

/** A month of nights, a thousand items and back, kills at each phase. `npm run test:backup` */
module.exports = {
  ...temporal,
  rootDir: '../..',
  displayName: 'backup',
  reporters: ['default', ['<rootDir>/test/support/promise-reporter.js', { command: 'npm run test:backup' }]],
  testMatch: ['<rootDir>/test/backup/*.long.ts'],
  maxWorkers: 1,
  testTimeout: 30 * 60_000,
};
