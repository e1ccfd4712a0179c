import { z } from 'zod';
import { urlProblem } from '../config/url-problem';
import { PortolanError } from '../model/errors/errors';
import { readConfigFile } from '../config/load-config';
import { problemLines, problemText } from '../config/problems';

/** A file that names a server holds nothing else. */
export const serverFile = z.strictObject({
  server: z.string().meta({
    effect: 'at once',
    form: 'URL',
    description: 'send commands to this `portolan serve`; excludes every other key but `insecure`',
  }),
  insecure: z.boolean().default(false).meta({
    effect: 'at once',
    description: 'allow plain http to other machines, which exposes the key',
  }),
});

/** The problem of a server URL, without repeating it; undefined if it can be used. */
export const serverUrlProblem = (text: string, insecure: boolean): string | undefined =>
  urlProblem(text, {
    form: 'https://HOST',
    credentials: 'put a key into PORTOLAN_KEY',
    unencrypted: insecure
      ? undefined
      : 'would receive the key unencrypted; use https, or write insecure: true next to server in a file',
  });

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
