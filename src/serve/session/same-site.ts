import type { FastifyInstance, FastifyRequest } from 'fastify';
import formbody from '@fastify/formbody';
import { Refusal } from '../problem';
import type { Seals } from './seal';

/** Where a page's form has what `csrfToken` gives. */
export const CSRF_FIELD = '_csrf';

const FORM = 'application/x-www-form-urlencoded';

/** How somebody was let in, as far as it says whether their browser could have been made to ask. */
export interface Admission {
  /** `bearer`: with something that no browser sends by itself. */
  readonly by: 'bearer' | 'cookie' | 'open';
  /** Whom forms are made for: the session's id, or all where the server is open. */
  readonly forms: string;
  /** Until when they are let in. */
  readonly until?: Date;
}

/** What a form of a page has to bring along under `CSRF_FIELD`; empty for whoever has a key, and no page. */
export const csrfToken = ({ admission, server }: FastifyRequest): string =>
  admission.by === 'bearer' ? '' : (server.seals?.formToken(admission.forms) ?? '');

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission;
    /** What a form of a page has sent, as it was filled in. */
    filledIn?: Readonly<Record<string, unknown>>;
  }
  interface FastifyInstance {
    /** Absent where nobody is let in without a key. */
    seals: Seals | undefined;
  }
}

/**
 * Throws where a web page elsewhere may have made its visitor's browser ask for a change. Browsers say by `Origin` and
 * `Sec-Fetch-Site` which page asks, and no page can write either. Without `Origin` it is a program, which an open server
 * answers as long as nothing shows a browser; `Sec-Fetch-Mode` does not, Node's own `fetch` sends it. JSON of another
 * site a browser sends only after it has asked whether it may, and is told no; forms it sends at once, so they bring a
 * token besides.
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
      `The request did not come from a page of this server${origin === undefined ? '' : ', but from another'}.`,
      'Use a page of this server, or a key.',
    );
  const [type] = headers['content-type']?.split(';', 1) ?? [];
  const isForm = type?.trim().toLowerCase() === FORM;
  if (type === undefined || (isForm && isOwn) || type.trim().toLowerCase() === 'application/json') return;
  throw new Refusal(415, 'USAGE', `${type.slice(0, 80)} is not accepted here.`, 'Send application/json.');
}

/** Takes forms, and those with their token alone where who sends them has no key. */
export async function takeForms(app: FastifyInstance): Promise<void> {
  await app.register(formbody);
  app.addHook('preValidation', async (request) => {
    const [type] = request.headers['content-type']?.split(';', 1) ?? [];
    if (request.admission.by === 'bearer' || type?.trim().toLowerCase() !== FORM) return;
    const { [CSRF_FIELD]: given, ...fields } = (request.body ?? {}) as Record<string, unknown>;
    request.body = request.filledIn = fields;
    if (app.seals?.isFormToken(request.admission.forms, given)) return;
    throw new Refusal(
      403,
      'CROSS_SITE',
      'The form belongs to another session, or is from before the sign-in.',
      'Reload the page, and send it again.',
    );
  });
}
