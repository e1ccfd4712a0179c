import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type Contract, type OperationId, operationsByTag } from '../../contract/contract';
import { type Api, API, HEADER_KEY, type Operation, PAGE_MAX } from '../../contract/operation';
import { call, checkedInput } from '../../service/call';
import { meantInput, operationsOf } from '../../service/operations';
import type { Turns } from '../caller-limit';
import { eventStream, streamed } from '../event-stream';
import { problem } from '../problem';
import type { Sources } from '../sources';
import { Watches } from '../watches';
import { Streams } from './streams';

/** Rows on a page where no number is asked for. */
const PAGE = 50;

/** A start may name many items. @format bytes */
const BODY_MAX = 512 * 1024;

/** A repeated request starts only one run: `--request-id`. */
const idempotent = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(HEADER_KEY, 'needs 1 to 200 characters without spaces')
    .optional()
    .describe('the same key starts at most one run'),
});

const starting = {
  attended: z
    .boolean()
    .default(false)
    .describe('the caller is shown a plan that waits for approval and can decide'),
  requestId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('instead of Idempotency-Key, for keys with characters a header cannot hold'),
};

const REPEATED =
  'To retry safely, repeat the request with the same Idempotency-Key: 202 means a new run, 200 the run that the key started before, 400 that the key started something else. `Location` is the address of the run.';

type Values = Readonly<Record<string, unknown>>;

/** A route for each operation of the contract. */
export const operations =
  (sources: Sources, turns: Turns): FastifyPluginAsyncZod =>
  async (api) => {
    const watches = new Watches();
    const streams = new Streams(turns);
    // A closing server waits for open responses, and streams do not end on their own.
    api.addHook('preClose', async () => {
      watches.close();
      streams.close();
    });

    for (const [tag, described] of Object.entries(operationsByTag))
      for (const [operationId, each] of Object.entries(described) as [OperationId, Operation][]) {
        const { at, summary, description, answer, right, starts, pages, stream, watch, status = 200 } = each;
        const [method, url] = at.split(' ') as ['GET' | 'POST', string];
        const parts = partsOf(each);
        const ok = watch || stream !== undefined ? eventStream : answer;
        const response = starts ? { 200: ok, 202: ok } : { [status]: ok };
        api.route({
          method,
          url,
          config: { right },
          ...(starts && { bodyLimit: BODY_MAX }),
          schema: {
            operationId,
            tags: [tag],
            summary,
            description: starts ? REPEATED : description,
            ...parts,
            ...(starts && { headers: idempotent }),
            response: { ...response, default: problem },
          },
          preValidation: async (request) =>
            void Object.assign(request, { query: typed(parts.querystring, request.query as Values) }),
          handler: async (request, reply) => {
            const { attended, requestId, ...asked } = request.query as Values;
            const input = {
              ...asked,
              ...(request.body as Values | undefined),
              ...(request.params as Values),
            };
            if (watch) {
              const { caller } = request;
              const ask = (id: OperationId, given: Values): Promise<unknown> =>
                call(id, checkedInput(id, given), sources, { caller });
              const meant = await meantInput(watch, input, ask);
              const { event, everyMs, isOver } = watch;
              const watched = {
                key: `${operationId} ${JSON.stringify(meant)}`,
                event,
                everyMs,
                look: async () => answer.parse(await ask(operationId, meant)),
                isOver,
              };
              return streamed(reply, watches.open(watched, caller.who, leaving(request)));
            }
            const paged = pages === undefined ? input : { ...input, limit: pageOf(asked['limit']) };
            const said: string[] = [];
            const key = request.headers['idempotency-key'] ?? requestId;
            if (stream !== undefined)
              return await streams.send(request, reply, stream, (signal) =>
                call(operationId, input, sources, { caller: request.caller, signal }),
              );
            const found = await call(operationId, paged, sources, {
              caller: request.caller,
              turn: (work) => turns.of(request, work),
              say: (words) => void said.push(words),
              ...(starts && { attended: attended === true, requestId: key as string | undefined }),
            });
            if (!starts) return reply.code(status).send(found);
            const begun = found as { readonly runId: string; readonly isNew: boolean };
            const address = `${API}/runs/${encodeURIComponent(begun.runId)}`;
            reply.code(begun.isNew ? 202 : 200).header('location', address);
            return { ...begun, ...(said.length > 0 && { said }) };
          },
        });
      }
  };

/** Fires when the caller has gone. */
function leaving({ raw }: FastifyRequest): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  if (raw.destroyed) gone.abort();
  return gone.signal;
}

/** Operations within the server, as the caller of this request. */
export const operationsFor = (
  request: Pick<FastifyRequest, 'caller' | 'raw'>,
  sources: Sources,
  turns: Turns,
): Api<Contract> =>
  operationsOf(sources, { caller: request.caller, turn: (work) => turns.of(request, work) });

/** How an operation's input is sent: in its path, its query and its body. */
function partsOf({ at, input, starts }: Operation) {
  const parameters = new Set(at.split('/').filter((part) => part.startsWith(':')));
  const fields = Object.entries<z.ZodType>(input.shape);
  const isInPath = ([name]: [string, z.ZodType]): boolean => parameters.has(`:${name}`);
  const others = z.strictObject(Object.fromEntries(fields.filter((field) => !isInPath(field))));
  const isGet = at.startsWith('GET');
  return {
    params: z.object(Object.fromEntries(fields.filter(isInPath))),
    querystring: isGet ? others : z.strictObject(starts ? starting : {}),
    ...(!isGet && { body: others.safeParse({}).success ? others.prefault({}) : others }),
  };
}

/** A query as its schema has it: what is sent is text. */
function typed({ shape }: z.ZodObject, query: Values): Values {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      let field: unknown = shape[name];
      while (field instanceof z.ZodOptional || field instanceof z.ZodDefault) field = field.unwrap();
      if (field instanceof z.ZodBoolean && (value === 'true' || value === 'false'))
        return [name, value === 'true'];
      if (field instanceof z.ZodNumber && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
        return [name, Number(value)];
      return [name, value];
    }),
  );
}

const pageOf = (limit: unknown): number => Math.min(typeof limit === 'number' ? limit : PAGE, PAGE_MAX);
