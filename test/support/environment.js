const { TestEnvironment } = require('jest-environment-node');
const protos = require('@temporalio/proto');

/**
 * Node as every suite has it, with the messages of Temporal's protocol as this process has loaded them once: 1.4 MB of
 * them, and the functions that write and read each kind, which every suite would make anew.
 */
module.exports = class extends TestEnvironment {
  constructor(...given) {
    super(...given);
    this.global.temporalProtos = protos;
  }
};
