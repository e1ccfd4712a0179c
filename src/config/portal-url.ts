import { isLoopback } from '../model/address/loopback';
import { maskSecrets } from '../model/text/mask-secrets';
import { withoutTrailingSlashes } from '../model/text/trailing-slashes';

/** The problem of a portal URL, for people; undefined if it can be used. */
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

/** The problem of a webhook URL, for people, without repeating it; undefined if it can be used. */
export function webhookUrlProblem(text: string, insecure: boolean): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as https://HOST/PATH';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    return 'would be sent unencrypted; use https, or set insecure: true for this receiver';
  return undefined;
}

/** The problem of a check's URL, for people, without repeating it; undefined if it can be used. */
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

/** The problem of the URL of a traces receiver, for people, without repeating it; undefined if it can be used. */
export function telemetryUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as http://HOST:4318';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password; put keys into tracing.headers';
  return undefined;
}

/**
 * The problem of sending a header, which may be a key, to a traces receiver; undefined over https or to this
 * machine.
 */
export function telemetryHeadersProblem(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const { protocol, hostname } = new URL(endpoint);
  if (protocol !== 'http:' || isLoopback(hostname)) return undefined;
  return 'would be sent unencrypted; use https for the endpoint';
}
