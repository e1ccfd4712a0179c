import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Visit } from './visit';

/** Files that pages load, with their media types. */
const files = {
  style: ['page.css', 'text/css; charset=utf-8'],
  script: ['page.js', 'text/javascript; charset=utf-8'],
  mark: ['mark.svg', 'image/svg+xml'],
} as const;

/** One year: a changed file has a different URL. */
const KEPT = 'public, max-age=31536000, immutable';

/**
 * Serves the style sheet, script and icon of the pages, each under a URL with a hash of its content. They need no
 * sign-in.
 * @returns their URLs
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
