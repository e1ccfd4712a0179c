import { PortolanError } from '../model/errors/errors';
import { readConfigFile } from '../config/load-config';
import { serverFile, serverUrlProblem } from '../config/file/server-schema';
import { problemLines, problemText } from '../config/problems';

/** A `portolan serve` that is asked in place of a store and Temporal. */
export interface ServerAddress {
  /** `https://portolan.example.com`, or with a path below it; without a slash at its end. */
  readonly url: string;
}

/** Names the server for this machine. */
export const SERVER_VARIABLE = 'PORTOLAN_SERVER';

/**
 * The server that is asked: that of the named file, else `PORTOLAN_SERVER`, else that of the file which is read where
 * none is named. undefined where the file is the configuration of a machine that asks store and Temporal itself.
 * Throws `CONFIG_INVALID` for a file that names a server and has other settings, and for an address that cannot be used.
 */
export function findServer(named?: string): ServerAddress | undefined {
  const typed = named === undefined ? process.env[SERVER_VARIABLE] : undefined;
  if (typed) return serverAt(typed, SERVER_VARIABLE);
  const { file, given } = readConfigFile(named);
  if (typeof given !== 'object' || given === null || !('server' in given)) return undefined;
  const parsed = serverFile.safeParse(given);
  if (!parsed.success)
    throw new PortolanError('CONFIG_INVALID', problemText(file, problemLines(parsed.error, 'the file')), {
      hint: "A file that names a server must contain nothing else; other settings belong in the server's configuration.",
    });
  const { server, insecure } = parsed.data;
  return serverAt(server, `server of ${file}`, insecure);
}

/** An address that somebody typed. Throws `CONFIG_INVALID` where it cannot be used. @param from where it is named */
export function serverAt(text: string, from: string, insecure = false): ServerAddress {
  const problem = serverUrlProblem(text, insecure);
  if (problem !== undefined) throw new PortolanError('CONFIG_INVALID', `${from} ${problem}.`);
  const { origin, pathname } = new URL(text);
  return { url: `${origin}${pathname.replace(/\/+$/, '')}` };
}
