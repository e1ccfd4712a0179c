import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from '@temporalio/common';
import { bundleWorkflowCode } from '@temporalio/worker';

const silent = () => {};
const quietLogger: Logger = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
};

const workflowsPath = path.join(__dirname, '..', 'workflows', 'index');
const interceptorsPath = path.join(__dirname, '..', 'workflows', 'run', 'cancelled-end');

/** Where the build puts the bundle, seen from the compiled code; among the sources there is none. */
export const builtBundlePath = path.join(__dirname, '..', 'workflow-bundle.js');

/** Bundles all workflow code into one script, as a worker runs it. Takes about two seconds. */
export async function bundleWorkflows(entry: string = require.resolve(workflowsPath)): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: entry,
    workflowInterceptorModules: [require.resolve(interceptorsPath)],
    logger: quietLogger,
  });
  return code;
}

/** The workflow code of this installation: the build's bundle where there is one, else bundled now. */
export const workflowBundle = async (): Promise<{ codePath: string } | { code: string }> =>
  existsSync(builtBundlePath) ? { codePath: builtBundlePath } : { code: await bundleWorkflows() };
