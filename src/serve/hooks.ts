import type { FastifyBaseLogger, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { HookConfig } from '../config/config';
import { whyForged } from '../domain/hook/signatures';
import { callHook } from '../service/hook/call-hook';
import type { Caller } from './access';
import { Refusal } from './problem';
import type { Sources } from './sources';

declare module 'fastify' {
  interface FastifyRequest {
    /** The one that is called, once it is shown by whom. */
    hook: HookConfig;
  }
}

interface Named {
  readonly Params: { readonly name: string };
}

const startedByHook = z.object({
  runId: z.string(),
  url: z.string().describe('where its page is'),
});

/**
 * `POST /hooks/NAME`: starts what a hook of portolan.yaml is there for. Whoever calls it has no key and no session: they
 * sign what they send, as Standard Webhooks say.
 *
 * @param base address under which others reach the server
 */
export const hooksIn =
  (sources: Sources, base: () => string): FastifyPluginAsync =>
  async (app) => {
    // What is signed are the bytes: whatever they are called, nobody reads them before.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

    app.decorateRequest('hook');
    const admit = async (request: FastifyRequest<Named>): Promise<void> => {
      const named = sources.config.hooks.get(request.params.name);
      const hook = await signedHook(request.log, named, request.headers, textOf(request.body));
      const caller: Caller = { who: `hook ${hook.name}`, identity: 'key', rights: [] };
      Object.assign(request, { caller, hook });
    };

    app.post<Named>('/hooks/:name', { preValidation: admit }, async (request, reply) => {
      const { caller, hook, headers } = request;
      const call = { id: String(headers['webhook-id']), body: textOf(request.body) ?? '' };
      const { runId, isNew } = await sources.acting(caller, (found) => callHook(found, hook, call));
      return await reply
        .code(isNew ? 202 : 200)
        .header('cache-control', 'no-store')
        .send(startedByHook.parse({ runId, url: `${base()}/runs/${encodeURIComponent(runId)}` }));
    });
  };

/** Bytes that are no text are signed by nobody who writes JSON. */
function textOf(body: unknown): string | undefined {
  if (body === undefined) return '';
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body as Buffer);
  } catch {
    return undefined;
  }
}

/**
 * The hook of that name, once it is shown that somebody who has a secret of it has signed. Throws otherwise: that there is
 * no such hook is answered in the same words. The log says why.
 */
async function signedHook(
  log: FastifyBaseLogger,
  hook: HookConfig | undefined,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string | undefined,
): Promise<HookConfig> {
  const forged = await whyForged(hook?.secrets ?? [], headers, body ?? '').catch((err: unknown) => {
    log.error({ err, hook: hook?.name }, 'the secret of a hook is unusable');
    return 'its secret cannot be used';
  });
  if (hook !== undefined && body !== undefined && forged === undefined) return hook;
  log.warn(
    { hook: hook?.name, why: hook ? (forged ?? 'its body is not text') : 'unknown hook' },
    'a hook was refused',
  );
  throw new Refusal(
    401,
    'SIGNATURE_REFUSED',
    'The call of the hook could not be verified.',
    'Sign it as in Standard Webhooks, with a secret of the hook and a clock accurate to five minutes. For an example: portolan hook test NAME.',
  );
}
