import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Config } from '../../src/config/config';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';

const run = promisify(execFile);

/** Types a line of Temporal's CLI, as guides and hints have it, against the server of a configuration. */
export async function temporalCli(
  { temporal: { address, namespace } }: Pick<Config, 'temporal'>,
  line: string,
): Promise<string> {
  const [, ...args] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const where = ['--address', address, ...(args.includes('--namespace') ? [] : ['--namespace', namespace])];
  return (await run((await findTemporalCli()).path, [...args, ...where])).stdout;
}
