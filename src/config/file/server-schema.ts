import { z } from 'zod';
import { urlProblem } from '../url-problem';

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
