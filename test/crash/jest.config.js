const { projects } = require('../../jest.config.js');

const [plain] = projects;

/** The long matrix: every kill at every moment, one after the other. `npm run test:crash` */
module.exports = {
  ...plain,
  rootDir: '../..',
  displayName: 'crash',
  testMatch: ['<rootDir>/test/crash/*.long.ts'],
  maxWorkers: 1,
};
