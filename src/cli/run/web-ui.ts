import type { Config } from '../../config/config';
import { isLoopback } from '../../temporal/dev-server/address';

/** The Web UI of a server on this machine is on the port above by a thousand; that of another is not known here. */
export function webUiOf(config: Config, workflowId: string, runId?: string): string | undefined {
  const { address, namespace } = config.temporal;
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[|\]$/g, '');
  if (!isLoopback(host)) return undefined;
  const base = `http://${address.slice(0, at)}:${Number(address.slice(at + 1)) + 1000}`;
  const run = runId === undefined ? '' : `/${runId}/history`;
  return `${base}/namespaces/${namespace}/workflows/${workflowId}${run}`;
}
