const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

/** A worker of Temporal's loads its converter of failures by the name of its file, and so by Node: here that is a source. */
require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  module._compile(code, filename);
};

/**
 * Packages that this process loads once for all its suites, by Node and not by jest, the first time that one asks.
 * Some are here because jest's module system could not load them: they are ESM alone, or import what is.
 */
const names = [
  '@aws-sdk/client-s3',
  '@clack/prompts',
  '@commander-js/extra-typings',
  '@fastify/busboy',
  '@fastify/cookie',
  '@fastify/formbody',
  '@fastify/helmet',
  '@fastify/rate-limit',
  '@fastify/swagger',
  '@grpc/grpc-js',
  '@readme/openapi-parser',
  '@temporalio/activity',
  '@temporalio/client',
  '@temporalio/common',
  '@temporalio/common/lib/internal-non-workflow',
  '@temporalio/common/lib/proto-utils',
  '@temporalio/common/lib/time',
  '@temporalio/envconfig',
  '@temporalio/proto',
  '@temporalio/testing',
  '@temporalio/worker',
  '@temporalio/workflow',
  'axe-core',
  'axios',
  'cli-table3',
  'commander',
  'cron-parser',
  'eventsource-parser',
  'fast-check',
  'fastify',
  'fastify-type-provider-zod',
  'jose',
  'node-html-parser',
  'oauth4webapi',
  'openapi-client-axios',
  'pino',
  'playwright-core',
  'preact',
  'preact-render-to-string',
  'preact/hooks',
  'preact/jsx-runtime',
  'prom-client',
  'protobufjs/ext/protojson',
  'protobufjs/light',
  'standardwebhooks',
  'typescript',
  'undici',
  'yaml',
  'yauzl',
  'yazl',
  'zod',
];

exports.sharedModules = Object.fromEntries(names.map((name) => [name, () => require(name)]));
