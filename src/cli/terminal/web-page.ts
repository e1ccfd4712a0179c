import { spawn } from 'node:child_process';
import { PortolanError } from '../../model/errors/errors';
import { findServer } from '../../client/server-address';
import { loadConfig } from '../../config/load-config';
import { pageAddress } from '../../config/page-address';
import type { RunRecord } from '../../model/run/run';
import { readUp } from '../../temporal/dev-server/up-file';
import type { Globals } from './globals';

/** The program that opens a URL on this system; BROWSER overrides it. */
function opener(): readonly [program: string, ...args: string[]] {
  if (process.env.BROWSER) return [process.env.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

/** Opens a URL in a browser of this machine. Throws `USAGE` with the URL if that fails. */
export async function openPage(url: string): Promise<void> {
  const [program, ...args] = opener();
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', () =>
      reject(
        new PortolanError('USAGE', `${program} cannot be started to open ${url}`, {
          hint: 'Open that address yourself, or set BROWSER to a browser.',
        }),
      ),
    );
  });
  child.unref();
}

/**
 * The address of the web UI: of the configured server, `serve.url`, or of `up` on this machine.
 * @returns without a slash at its end; undefined where none is known
 */
export async function knownPage({ config: named }: Globals): Promise<string | undefined> {
  const server = findServer(named);
  if (server) return server.url;
  const config = loadConfig(named);
  return pageAddress(config.serve) ?? (await readUp(config.temporal.state))?.page;
}

/** A run in Temporal's Web UI, if `up` runs one on this machine. */
export async function knownTemporalPage(
  { config: named }: Globals,
  { temporal: { workflowId, runId } }: Pick<RunRecord, 'temporal'>,
): Promise<string | undefined> {
  if (findServer(named)) return undefined;
  const { state, namespace } = loadConfig(named).temporal;
  const { ui } = (await readUp(state)) ?? {};
  return ui && webPageOf(ui, namespace, workflowId, runId);
}

/**
 * Opens the page with summary and current details; without the execution ID, the Web UI would show the newest
 * history.
 */
export const webPageOf = (base: string, namespace: string, workflowId: string, runId?: string): string =>
  `${base}/namespaces/${namespace}/workflows/${workflowId}${runId === undefined ? '' : `/${runId}/user-metadata`}`;
