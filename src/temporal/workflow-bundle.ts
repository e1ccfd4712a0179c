import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '@temporalio/common';
import { bundleWorkflowCode } from '@temporalio/worker';
import { withEncodedFailures } from './encryption/workflow-failures';

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
    failureConverterPath: require.resolve('./encryption/workflow-failures'),
    logger: quietLogger,
  });
  return code;
}

type WorkflowBundle = { readonly codePath: string } | { readonly code: string };

/**
 * The workflow code of this installation: the build's bundle where there is one, else bundled now.
 * @param path of another bundle
 * @param encodesFailures whether messages of failures go where the codec encrypts them
 */
export async function workflowBundle({
  path: given,
  encodesFailures = false,
}: { readonly path?: string; readonly encodesFailures?: boolean } = {}): Promise<WorkflowBundle> {
  const codePath = given ?? (existsSync(builtBundlePath) ? builtBundlePath : undefined);
  if (!encodesFailures) return codePath === undefined ? { code: await bundleWorkflows() } : { codePath };
  const code = codePath === undefined ? await bundleWorkflows() : await readFile(codePath, 'utf8');
  return { code: withEncodedFailures(code) };
}
