const { projects } = require('../../jest.config.js');

const temporal = projects.find(({ displayName }) => displayName === 'temporal');

/** Hundreds of syncs through random faults, on one worker. `npm run test:soak` */
module.exports = {
  ...temporal,
  rootDir: '../..',
  displayName: 'soak',
  reporters: ['default', ['<rootDir>/test/support/promise-reporter.js', { command: 'npm run test:soak' }]],
  testMatch: ['<rootDir>/test/soak/*.long.ts'],
  maxWorkers: 1,
};
