import { PortolanError } from '../model/errors/errors';
import { readConfigFile } from '../config/load-config';
import { serverFile, serverUrlProblem } from '../config/file/server-schema';
import { problemLines, problemText } from '../config/problems';

/** A `portolan serve` used instead of a store and Temporal. */
export interface ServerAddress {
  /** `https://portolan.example.com`, or with a path below it; without a slash at its end. */
  readonly url: string;
}

/** Environment variable that names the server. */
export const SERVER_VARIABLE = 'PORTOLAN_SERVER';

/**
 * The server to use: that of the named file, else `PORTOLAN_SERVER`, else that of the default file; undefined if the
 * file is a full configuration. Throws `CONFIG_INVALID` for a file that has a server and other settings, and for an
 * unusable URL.
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

/** Parses a typed server URL. Throws `CONFIG_INVALID` if it cannot be used. @param from where it is named */
export function serverAt(text: string, from: string, insecure = false): ServerAddress {
  const problem = serverUrlProblem(text, insecure);
  if (problem !== undefined) throw new PortolanError('CONFIG_INVALID', `${from} ${problem}.`);
  const { origin, pathname } = new URL(text);
  return { url: `${origin}${pathname.replace(/\/+$/, '')}` };
}
