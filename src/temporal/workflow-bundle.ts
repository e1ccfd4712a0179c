import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const workflowsPath = path.join(__dirname, '..', 'workflows', 'index');
const interceptorsPath = path.join(__dirname, '..', 'workflows', 'interceptors');

/** Place of the bundle next to the compiled code; missing among the sources. */
export const builtBundlePath = path.join(__dirname, '..', 'workflow-bundle.js');

/** Bundles all workflow code into one script, as a worker runs it. Takes about two seconds. */
export async function bundleWorkflows(entry: string = require.resolve(workflowsPath)): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: entry,
    workflowInterceptorModules: [require.resolve(interceptorsPath)],
    failureConverterPath: require.resolve('./encryption/workflow-failures'),
    logger: new DefaultLogger('ERROR', () => {}),
  });
  return code;
}

/** @format characters */
const BUILD_ID_LENGTH = 12;

/** Source paths, which differ between machines. */
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*$/m;

/** Twelve hexadecimal digits, equal for equal workflow code wherever it was built. */
export async function buildIdOf(bundle: WorkflowBundle): Promise<string> {
  const code = (await codeOf(bundle)).replace(SOURCE_MAP, '');
  return createHash('sha256').update(code).digest('hex').slice(0, BUILD_ID_LENGTH);
}

export type WorkflowBundle = { readonly codePath: string } | { readonly code: string };

/**
 * The workflow code of this installation: the build's bundle where there is one, else bundled now.
 * @param given path of another bundle
 */
export async function workflowBundle(given?: string): Promise<WorkflowBundle> {
  const codePath = given ?? (existsSync(builtBundlePath) ? builtBundlePath : undefined);
  return codePath === undefined ? { code: await bundleWorkflows() } : { codePath };
}

/**
 * The same code, whose failures put their messages where the codec encrypts them (`encryption/workflow-failures.ts`).
 * The flag is on the first line of the code, so line numbers stay.
 */
export const encodingFailures = async (bundle: WorkflowBundle): Promise<WorkflowBundle> => ({
  code: `globalThis.portolanEncodesFailures=true;${await codeOf(bundle)}`,
});

const codeOf = async (bundle: WorkflowBundle): Promise<string> =>
  'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
