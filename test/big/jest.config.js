const { projects } = require('../../jest.config.js');

const temporal = projects.find(({ displayName }) => displayName === 'temporal');

/** A group of 12 GB, in three packages. `npm run test:big` */
module.exports = {
  ...temporal,
  rootDir: '../..',
  displayName: 'big',
  reporters: ['default', ['<rootDir>/test/support/promise-reporter.js', { command: 'npm run test:big' }]],
  testMatch: ['<rootDir>/test/big/*.long.ts'],
  maxWorkers: 1,
};
