import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Visit } from './visit';

/** What a page asks for besides itself, and what kind of file it is. */
const files = {
  style: ['page.css', 'text/css; charset=utf-8'],
  script: ['page.js', 'text/javascript; charset=utf-8'],
  mark: ['mark.svg', 'image/svg+xml'],
} as const;

/** A year: a file that changes has another address. */
const KEPT = 'public, max-age=31536000, immutable';

/**
 * Answers the style, the script and the mark of the pages, each at an address that has the hash of what is in it. They
 * are the same for everybody, and need no sign-in.
 * @returns their addresses
 */
export function serveAssets(app: FastifyInstance): Visit['assets'] {
  const serve = (kind: keyof typeof files): string => {
    const [name, type] = files[kind];
    const content = readFileSync(path.join(__dirname, 'assets', name));
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
    const address = `/assets/${hash}-${name}`;
    app.get(address, { schema: { hide: true } }, (_request, reply) =>
      reply.type(type).header('cache-control', KEPT).send(content),
    );
    return address;
  };
  return { style: serve('style'), script: serve('script'), mark: serve('mark') };
}
