import type { FastifyRequest } from 'fastify';
import { Refusal } from '../problem';

/** What forms of whoever is signed in carry; nothing where nobody signs in. */
export const csrfToken = (_request: FastifyRequest): string | undefined => undefined;

/** Throws where a form was not sent by a page of this server: browsers say which page it was. */
export function requireOwnPage({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = headers;
  const isOwn = origin !== undefined && URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
  if (isOwn && site === 'same-origin') return;
  throw new Refusal(
    403,
    'CROSS_SITE',
    'That was not asked by a page of this server.',
    'Open the page here, and send its form.',
  );
}
