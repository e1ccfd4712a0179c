import type { FastifyBaseLogger, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { HookConfig } from '../config/config';
import { type PortalCall, readPortalCall } from '../domain/hook/portal-webhooks';
import { whyForged } from '../domain/hook/signatures';
import { callPortalHook } from '../service/hook/call-portal-hook';
import { callHook } from '../service/hook/call-hook';
import type { Caller } from '../service/may';
import { Refusal } from './problem';
import type { Sources } from './sources';

declare module 'fastify' {
  interface FastifyRequest {
    /** The hook that is called, after its signature is verified. */
    hook: HookConfig;
    /** What a portal's webhook says has changed. */
    portalCall?: PortalCall;
  }
}

interface Named {
  readonly Params: { readonly name: string };
}

const startedByHook = z.object({
  runId: z.string(),
  url: z.string().describe('the run in the web UI'),
});
const startedByPortal = z.object({ runs: z.array(startedByHook) });

/**
 * `POST /hooks/NAME`: starts the run of a hook in portolan.yaml. Callers have no key or session; they sign their requests
 * as Standard Webhooks describes, portals as they do.
 *
 * @param base public URL of the server
 */
export const hooksIn =
  (sources: Sources, base: () => string): FastifyPluginAsync =>
  async (app) => {
    // The signature is over the raw bytes, so nothing may parse them first.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

    app.decorateRequest('hook');
    app.decorateRequest('portalCall');
    const admit = async (request: FastifyRequest<Named>): Promise<void> => {
      const named = sources.config.hooks.get(request.params.name);
      const { hook, portalCall } = await signedHook(
        request.log,
        named,
        request.headers,
        textOf(request.body),
      );
      const caller: Caller = { who: `hook ${hook.name}`, identity: 'key', rights: [] };
      Object.assign(request, { caller, hook, portalCall });
    };

    app.post<Named>('/hooks/:name', { preValidation: admit }, async (request, reply) => {
      const { caller, hook, headers, portalCall } = request;
      const urlOf = (run: string): string => `${base()}/runs/${encodeURIComponent(run)}`;
      reply.header('cache-control', 'no-store');
      if (portalCall) {
        const started = await sources.acting(caller, (found) => callPortalHook(found, hook, portalCall));
        const runs = started.map((run) => ({ runId: run.runId, url: urlOf(run.runId) }));
        return await reply
          .code(started.some((run) => run.isNew) ? 202 : 200)
          .send(startedByPortal.parse({ runs }));
      }
      const call = { id: String(headers['webhook-id']), body: textOf(request.body) ?? '' };
      const { runId, isNew } = await sources.acting(caller, (found) => callHook(found, hook, call));
      return await reply.code(isNew ? 202 : 200).send(startedByHook.parse({ runId, url: urlOf(runId) }));
    });
  };

/** Undefined if the body is not valid UTF-8. */
function textOf(body: unknown): string | undefined {
  if (body === undefined) return '';
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body as Buffer);
  } catch {
    return undefined;
  }
}

/**
 * The hook of that name, if the request is signed with one of its secrets. Otherwise throws, with the same text for an
 * unknown hook. The log has the reason.
 */
async function signedHook(
  log: FastifyBaseLogger,
  hook: HookConfig | undefined,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string | undefined,
): Promise<{ readonly hook: HookConfig; readonly portalCall?: PortalCall }> {
  const unusable = (err: unknown): { readonly refused: string } => {
    log.error({ err, hook: hook?.name }, 'hook secret is unusable');
    return { refused: 'its secret is unusable' };
  };
  const told = await (
    hook && 'portal' in hook.starts
      ? readPortalCall(hook.secret, headers, body ?? '')
      : whyForged(hook?.secret ?? [], headers, body ?? '').then((refused) => refused && { refused })
  ).catch(unusable);
  const forged = told && 'refused' in told ? told.refused : undefined;
  const portalCall = told && 'refused' in told ? undefined : told;
  if (hook !== undefined && body !== undefined && forged === undefined) return { hook, portalCall };
  log.warn(
    { hook: hook?.name, why: hook ? (forged ?? 'body is not UTF-8 text') : 'unknown hook' },
    'hook call refused',
  );
  throw new Refusal(
    401,
    'SIGNATURE_REFUSED',
    'Unknown hook, or the signature is missing, invalid or expired.',
    "Sign the request with the hook's secret as Standard Webhooks describes, with a clock accurate to five minutes. portolan hook test NAME prints a signed call.",
  );
}
