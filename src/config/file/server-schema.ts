import { z } from 'zod';
import { isLoopback } from '../../model/address/loopback';

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
export function serverUrlProblem(text: string, insecure: boolean): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as https://HOST';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password; put a key into PORTOLAN_KEY';
  if (url.search !== '' || url.hash !== '') return 'must not hold a query or fragment';
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    return 'would receive the key unencrypted; use https, or write insecure: true next to server in a file';
  return undefined;
}
