const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Suites that start processes and wait for them more than they compute, and the longest one. Begun last, each of them
 * would keep one processor busy and the other idle.
 */
const waiting = /test\/(chaos\/|cli\/(examples|local\/|run\/runs)|temporal\/dev-server\/)/;

/** Begins with the suites that wait; the others follow as Jest would have them. */
module.exports = class extends Sequencer {
  /** Each project notes by itself how long its suites take. */
  _getCachePath({ config, ...context }) {
    const id = `${config.id}-${config.displayName.name}`;
    return super._getCachePath({ ...context, config: { ...config, id } });
  }

  sort(tests) {
    const isFirst = ({ path }) => (waiting.test(path.replaceAll('\\', '/')) ? 0 : 1);
    return [...super.sort(tests)].sort((one, other) => isFirst(one) - isFirst(other));
  }
};
