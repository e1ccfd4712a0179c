const { projects } = require('../../jest.config.js');

const temporal = projects.find(({ displayName }) => displayName === 'temporal');

/** What `portolan serve` tells a real Prometheus, the dashboard and the alarms over it. `npm run test:ops` */
module.exports = {
  ...temporal,
  rootDir: '../..',
  displayName: 'ops',
  testMatch: ['<rootDir>/test/ops/*.long.ts'],
  maxWorkers: 1,
  testTimeout: 300_000,
};
