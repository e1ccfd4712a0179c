const { projects } = require('../../jest.config.js');

const temporal = projects.find(({ displayName }) => displayName === 'temporal');

/** Stores of every kind, and whole syncs and packages of 3 GB through a bucket. `npm run test:s3` */
module.exports = {
  ...temporal,
  rootDir: '../..',
  displayName: 'store',
  testMatch: ['<rootDir>/test/store/**/*.long.ts', '<rootDir>/test/store/**/*.test.ts'],
  testTimeout: 300_000,
  maxWorkers: 1,
};
