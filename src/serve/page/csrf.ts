import type { FastifyRequest } from 'fastify';

/** What forms of whoever is signed in carry; nothing where nobody signs in. */
export const csrfToken = (_request: FastifyRequest): string | undefined => undefined;
