import { isLoopback } from '../model/address/loopback';
import { maskSecrets } from '../model/text/mask-secrets';
import { withoutTrailingSlashes } from '../model/text/trailing-slashes';

/** What is wrong with a portal's address, in words for people; nothing where it can be used. */
export function portalUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as https://HOST/portal/sharing/rest';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password; put them under auth';
  if (url.search !== '' || url.hash !== '') return 'must not hold a query or fragment';
  if (!withoutTrailingSlashes(url.pathname).endsWith('/sharing/rest')) {
    return 'must end in /sharing/rest, as in https://HOST/portal/sharing/rest';
  }
  return undefined;
}

/** What is wrong with a webhook's address, in words for people that do not repeat it; nothing where it can be used. */
export function webhookUrlProblem(text: string, insecure: boolean): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as https://HOST/PATH';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    return 'would be sent unencrypted; use https, or set insecure: true for this receiver';
  return undefined;
}

/** What is wrong with the address of a check, in words for people that do not repeat it; nothing where it can be used. */
export function checkUrlProblem(text: string, insecure: boolean): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as https://HOST/PATH';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (maskSecrets(text) !== text)
    return 'must not hold what looks like a secret; use a command that reads it';
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    return 'can be tampered with on the way; use https, or set insecure: true for this check';
  return undefined;
}

/** What is wrong with the address of a receiver of traces, in words for people that do not repeat it; nothing where it can be used. */
export function telemetryUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as http://HOST:4318';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password; put keys into tracing.headers';
  return undefined;
}

/** What is wrong with showing a receiver of traces a header, which may be a key; nothing over https, or to this machine. */
export function telemetryHeadersProblem(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const { protocol, hostname } = new URL(endpoint);
  if (protocol !== 'http:' || isLoopback(hostname)) return undefined;
  return 'would be sent unencrypted; use https for the endpoint';
}
