import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { nearest } from '../config/problems';
import { Refusal } from './problem';

/** Refuses a query parameter that the operation does not have: a slip in its name would change the answer unnoticed. */
export async function refuseUnknownParameters({ query, routeOptions }: FastifyRequest): Promise<void> {
  const schema = routeOptions.schema?.querystring;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const unknown = Object.keys(query as object).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const words = `There is no query parameter "${unknown.slice(0, 100)}" here`;
  throw new Refusal(
    400,
    'USAGE',
    meant === undefined ? `${words}.` : `${words}; did you mean "${meant}"?`,
    known.length === 0 ? 'Remove it.' : `Allowed parameters: ${known.join(', ')}.`,
  );
}

/** Which methods an address takes, by the routes that are registered from now on. */
export function methodsByAddress(app: Pick<FastifyInstance, 'addHook'>): (url: string) => string[] {
  const routes: { readonly address: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const parts = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
    routes.push({ address: new RegExp(`^${parts.join('/')}$`), methods: [method].flat() });
  });
  return (url) => {
    const [path = ''] = url.split('?');
    const found = routes.filter(({ address }) => address.test(path)).flatMap(({ methods }) => methods);
    return [...new Set(found)].sort();
  };
}
