import { bundleWorkflowCode } from '@temporalio/worker';
import type { Logger } from '@temporalio/common';

const silent = () => {};
const quietLogger: Logger = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
};

/** Bundles all workflow code into one script, as a worker runs it. Takes about two seconds. */
export async function bundleWorkflows(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('../workflows/index'),
    logger: quietLogger,
  });
  return code;
}
