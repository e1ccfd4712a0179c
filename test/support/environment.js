const { TestEnvironment } = require('jest-environment-node');

/** What Temporal's messages are made of, and the functions that write and read each kind: 1.4 MB, and slow to begin. */
const messages = ['@temporalio/proto', 'protobufjs/light', 'protobufjs/ext/protojson'];
/** Node loads them, and jest's module system does not: they are ESM alone, or import what is. */
const esm = ['jose', 'oauth4webapi', '@fastify/cookie', 'preact', 'preact/hooks', 'preact/jsx-runtime'];
const shared = Object.fromEntries([...messages, ...esm].map((name) => [name, require(name)]));

/** Node as every suite has it, with some modules as this process has loaded them once: see shared-modules.ts. */
module.exports = class extends TestEnvironment {
  constructor(...given) {
    super(...given);
    this.global.sharedModules = shared;
  }
};
