const { projects } = require('../../jest.config.js');

const temporal = projects.find(({ displayName }) => displayName === 'temporal');

/** Packages of 1 GB over connections that are cut. `npm run test:transfers` */
module.exports = {
  ...temporal,
  rootDir: '../..',
  displayName: 'transfers',
  reporters: [
    'default',
    ['<rootDir>/test/support/promise-reporter.js', { command: 'npm run test:transfers' }],
  ],
  testMatch: ['<rootDir>/test/transfers/*.long.ts'],
  maxWorkers: 1,
};
