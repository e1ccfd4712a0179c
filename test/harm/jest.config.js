const { projects } = require('../../jest.config.js');

const [plain] = projects;

/** What hostile portals and publishers can do to `portolan up`, for as long as it takes. `npm run test:harm` */
module.exports = {
  ...plain,
  rootDir: '../..',
  displayName: 'harm',
  reporters: ['default', ['<rootDir>/test/support/promise-reporter.js', { command: 'npm run test:harm' }]],
  testMatch: ['<rootDir>/test/harm/*.long.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
