import { z } from 'zod';
import { isLoopback } from '../../model/address/loopback';

/** A file that names a server has nothing else in it. */
export const serverFile = z.strictObject({
  server: z.string().meta({
    effect: 'at once',
    form: 'URL',
    description:
      'of a `portolan serve`, which has the configuration: commands ask it, and the file has nothing else in it',
  }),
  insecure: z.boolean().default(false).meta({
    effect: 'at once',
    description:
      'with `server`: asks another machine by plain http, where others can read the key on the way',
  }),
});

/** What is wrong with the address of a server, in words for people that do not repeat it; nothing where it can be used. */
export function serverUrlProblem(text: string, insecure: boolean): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as https://HOST';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password; put the key into PORTOLAN_KEY';
  if (url.search !== '' || url.hash !== '') return 'must not hold a query or fragment';
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    return 'would send the key unencrypted; use https, or write server and insecure: true into a configuration file';
  return undefined;
}
