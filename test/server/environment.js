const Environment = require('../support/environment.js');

/** Tests of what is another through a server, and why: by the end of the suite's path, and the title. */
const leftOut = [
  // A server answers, and that Temporal is away is known once it is asked: what is said before that stands above.
  [
    'cli/usage.test.ts',
    'says soon that there is no Temporal, and how to start it: ["run","resume","latest"]',
  ],
  // Where the file of the server lies is not told.
  ['cli/usage.test.ts', 'gives programs an error as one object on stdout'],
  // Calls of its own hooks are signed where the secret is.
  ['cli/examples.test.ts', 'hook test ci'],
  // The hint names the file that was typed, and a client has typed none.
  ['cli/run/runs.test.ts', 'is refused at once where no worker takes its work'],
];

/** The environment of every suite, without these tests. */
module.exports = class extends Environment {
  constructor(config, context) {
    super(config, context);
    this.leftOut = leftOut.filter(([suite]) => context.testPath.endsWith(suite)).map(([, title]) => title);
  }

  async handleTestEvent({ name, test }) {
    if (name === 'test_start' && this.leftOut.includes(test.name)) test.mode = 'skip';
  }
};
