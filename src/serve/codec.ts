import type { Payload } from '@temporalio/common';
import { JSONToPayload, payloadToJSON } from '@temporalio/common/lib/proto-utils';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { EncryptionKeys } from '../config/temporal/encryption-keys';
import { EncryptingCodec } from '../temporal/encryption/payload-codec';
import { type Access, requireRight } from './access';

/** Temporal takes no payload of more than 2 MB; its Web UI sends those of an event at once. @format bytes */
const BODY_MAX = 16 * 1024 * 1024;
const PAYLOADS_MAX = 1_000;
/** The Web UI asks for each event of a history, all at a time; an answer costs less than a millisecond. */
const REQUESTS_A_SECOND = 1_000;
/** For so long a browser does not ask again whether it may. @format seconds */
const PREFLIGHT_S = 600;

const base64 = z.base64();

/** `temporal.api.common.v1.Payloads`, as JSON of its protocol buffers. */
const payloads = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), base64).nullish(), data: base64.nullish() }))
    .max(PAYLOADS_MAX)
    .default([]),
});

/**
 * `POST /codec/encode` and `/codec/decode`: what Temporal's Web UI and command line have encrypted payloads made readable
 * by, for whoever may look. A browser is answered on pages of the named origins alone, which may send the session of
 * whoever is signed in here.
 *
 * @see https://docs.temporal.io/codec-server
 */
export function codec(
  origins: ReadonlySet<string>,
  encryption: EncryptionKeys,
  access: () => Access,
): FastifyPluginAsyncZod {
  const encrypting = new EncryptingCodec(encryption);
  const allow = ({ headers: { origin } }: FastifyRequest, reply: FastifyReply): boolean => {
    reply.header('vary', 'Origin').header('cache-control', 'no-store');
    if (origin === undefined || !origins.has(origin)) return false;
    reply.header('access-control-allow-origin', origin).header('access-control-allow-credentials', 'true');
    return true;
  };
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // What is refused is told to these pages too.
    allow(request, reply);
    await access().admit(request, origins);
    requireRight(request.caller, request);
  };
  const schema = { hide: true, body: payloads, response: { 200: payloads } };
  const options = {
    onRequest: admit,
    bodyLimit: BODY_MAX,
    config: {
      right: 'view' as const,
      isLook: true,
      rateLimit: { max: REQUESTS_A_SECOND, timeWindow: 1_000 },
    },
    schema,
  };
  return async (app) => {
    app.post('/codec/encode', options, async ({ body }) =>
      asJson(await encrypting.encode(body.payloads.map(JSONToPayload))),
    );
    app.post('/codec/decode', options, async ({ body }) =>
      asJson(await encrypting.decode(body.payloads.map(JSONToPayload))),
    );
    // A browser asks without saying for whom, and is told nothing but which page may.
    for (const path of ['/codec/encode', '/codec/decode'])
      app.options(path, { schema: { hide: true }, config: options.config }, async (request, reply) => {
        if (allow(request, reply))
          reply
            .header('access-control-allow-methods', 'POST')
            .header('access-control-allow-headers', 'Content-Type, X-Namespace, Authorization')
            .header('access-control-max-age', PREFLIGHT_S);
        return await reply.code(204).send();
      });
  };
}

const asJson = (list: readonly Payload[]) => ({ payloads: list.map(payloadToJSON) });
