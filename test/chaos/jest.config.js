const { projects } = require('../../jest.config.js');

const [plain] = projects;

/** What takes long: every kill at every moment. `npm run test:chaos` */
module.exports = {
  ...plain,
  rootDir: '../..',
  displayName: 'chaos',
  reporters: ['default', ['<rootDir>/test/support/promise-reporter.js', { command: 'npm run test:chaos' }]],
  testMatch: ['<rootDir>/test/chaos/*.long.ts'],
  maxWorkers: 1,
};
