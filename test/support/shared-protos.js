// Stands for `@temporalio/proto` in all suites of a process: see environment.js.
module.exports = globalThis.temporalProtos;
