const { setFlagsFromString } = require('node:v8');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { ownContext } = require('./compile-once');
const { sharedModules } = require('./shared-modules');

// Node 20 optimizes early what runs often, which costs these suites a tenth more than it saves.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=1000000');

/** As many calls as Node tells of by itself: an error costs more with each. */
const CALLS_OF_ERRORS = 10;

/** As jest-environment-node has it. */
const timerConfig = {
  idToRef: (id) => ({
    id,
    ref() {
      return this;
    },
    unref() {
      return this;
    },
  }),
  refToId: (timer) => timer?.id,
};

/** Notes what of this process a suite could change; the function that is returned puts it back. */
function noted() {
  const globals = new Map(
    Reflect.ownKeys(globalThis).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]),
  );
  const { env, exit, exitCode } = process;
  const variables = { ...env };
  return () => {
    for (const key of Reflect.ownKeys(globalThis)) if (!globals.has(key)) delete globalThis[key];
    for (const [key, descriptor] of globals)
      if (descriptor.configurable) Object.defineProperty(globalThis, key, descriptor);
    for (const key of Object.keys(env)) if (!(key in variables)) delete env[key];
    Object.assign(env, variables);
    Object.assign(process, { env, exit, exitCode });
  };
}

/**
 * Node as it is, without a context for each suite: what one of them makes of a class is an instance of it to all, as in
 * a process of Portolan, and so suites can share modules of packages (shared-modules.js). They would else spend a fifth
 * of their time on making these anew, and on running them as slowly as what has never run before. Globals, variables of
 * the environment and what was spied upon are put back behind each suite.
 */
module.exports = class {
  constructor({ projectConfig: config }) {
    this.putBack = noted();
    const global = globalThis;
    this.global = Object.assign(global, config.testEnvironmentOptions, { sharedModules });
    this.moduleMocker = new ModuleMocker(global);
    this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker: this.moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
  }

  async setup() {
    Error.stackTraceLimit = CALLS_OF_ERRORS;
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    this.putBack();
    this.global = null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return this.global && ownContext;
  }
};
