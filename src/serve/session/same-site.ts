import type { FastifyInstance, FastifyRequest } from 'fastify';
import formbody from '@fastify/formbody';
import { Refusal } from '../problem';
import type { SealedTokens } from './seal';

/** Form field with the value of `csrfToken`. */
export const CSRF_FIELD = '_csrf';

const FORM = 'application/x-www-form-urlencoded';

/** How a caller was authenticated: it decides whether another site could have forged the request. */
export interface Admission {
  /** `bearer`: by a token, which no browser sends on its own. */
  readonly by: 'bearer' | 'cookie' | 'open';
  /** What form tokens are bound to: the session's ID, or `open`. */
  readonly forms: string;
}

/** What a form must send as `CSRF_FIELD`; empty for callers with a key. */
export const csrfToken = ({ admission, server }: FastifyRequest): string =>
  admission.by === 'bearer' ? '' : (server.seals?.formToken(admission.forms) ?? '');

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission;
    /** The fields of a form, as they were filled in. */
    filledIn?: Readonly<Record<string, unknown>>;
  }
  interface FastifyInstance {
    /** Absent if the server accepts keys only. */
    seals: SealedTokens | undefined;
  }
}

/**
 * Rejects changes that another site may have forged. Browsers name the requesting page in `Origin` and `Sec-Fetch-Site`,
 * and no page can set either. A request without `Origin` comes from a program; an open server accepts it unless something
 * else shows a browser (not `Sec-Fetch-Mode`: Node's `fetch` sends it too). For JSON from another site a browser asks
 * permission first, which is denied. Forms are sent without asking, so they also need a token.
 * @param own origins of the server's pages
 * @param others origins whose pages may send JSON as well. @default none
 */
export function requireSameSite(
  { method, headers, admission }: FastifyRequest,
  own: ReadonlySet<string>,
  others: ReadonlySet<string> = new Set(),
): void {
  if (admission.by === 'bearer' || method === 'GET' || method === 'HEAD') return;
  const { origin, cookie, 'sec-fetch-site': site } = headers;
  const isProgram =
    admission.by === 'open' && origin === undefined && cookie === undefined && site === undefined;
  const isOwn = origin !== undefined && own.has(origin) && (site === undefined || site === 'same-origin');
  const isOther = origin !== undefined && others.has(origin);
  if (!isProgram && !isOwn && !isOther)
    throw new Refusal(
      403,
      'CROSS_SITE',
      `The request does not come from a page of this server${origin === undefined ? '' : ', but from another site'}.`,
      'Use the web UI of this server, or send a key.',
    );
  const type = typeOf(headers);
  if (type === undefined || type === 'application/json' || (type === FORM && isOwn)) return;
  throw new Refusal(415, 'USAGE', `${type.slice(0, 80)} is not accepted here.`, 'Send application/json.');
}

const typeOf = ({ 'content-type': type }: FastifyRequest['headers']): string | undefined =>
  type?.split(';', 1)[0]?.trim().toLowerCase();

/** Accepts forms; callers without a key must send the form's token. */
export async function takeForms(app: FastifyInstance): Promise<void> {
  await app.register(formbody);
  app.addHook('preValidation', async (request) => {
    if (request.admission.by === 'bearer' || typeOf(request.headers) !== FORM) return;
    const { [CSRF_FIELD]: given, ...fields } = (request.body ?? {}) as Record<string, unknown>;
    request.body = request.filledIn = fields;
    if (app.seals?.isFormToken(request.admission.forms, given)) return;
    throw new Refusal(
      403,
      'CROSS_SITE',
      'The form was loaded before you signed in, or by someone else.',
      'Reload the page and send the form again.',
    );
  });
}
