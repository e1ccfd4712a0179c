import { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import cookies from '@fastify/cookie';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Config } from '../config/config';
import { readEncryptionKeys } from '../config/temporal/encryption-keys';
import { pageAddress } from '../config/page-address';
import { API } from '../contract/operation';
import { PortolanError } from '../model/errors/errors';
import { openPortalSignIn } from '../service/sign-in/portal-sign-in';
import { parseAddress } from '../temporal/dev-server/address';
import { Access, requireRight } from './access';
import { readCertificate, renewCertificate } from './certificate';
import { describeApi } from './api/description';
import { operations } from './api/operations';
import { codec } from './codec';
import { hooksIn } from './hooks';
import { metrics } from './metrics/metrics';
import { page } from './page/page';
import { probes } from './probes';
import { PROBLEM_TYPE, type Problem, problemOf, Refusal } from './problem';
import { SealedTokens } from './session/seal';
import { Sessions } from './session/session';
import { signIn } from './session/sign-in';
import { Sources } from './sources';
import { methodsByAddress, refuseUnknownParameters } from './strict-requests';
import { traceRequests } from './traced-requests';
import { Turns } from './caller-limit';

/** Requests of one address in a second: more than any page or script needs. */
const REQUESTS_A_SECOND = 50;
/** Said to whoever has asked too much; most answers are there by then. @format seconds */
const RETRY_AFTER_S = 1;
/** Nothing that is sent here is longer. @format bytes */
const BODY_MAX = 64 * 1024;
/** Invalid values that a problem lists. */
const PROBLEMS_MAX = 20;
/** A request that has not come whole by then is none. @format milliseconds */
const REQUEST_WITHIN_MS = 15_000;

/** A page takes everything from here, and nothing that stands in it is run or styles it. */
const sourcesOfPages = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
};

/** A server that answers until it is closed. */
export interface RunningServer {
  /** `http://127.0.0.1:8350`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Answers what can be asked of Portolan over HTTP, at `serve.address`. It keeps nothing: any number of them may run.
 * Throws `ADDRESS_IN_USE` where something else listens there, and `SECRET_UNREADABLE` for the control key where somebody
 * is let in without a key, and for the keys of payloads where these are decrypted for others.
 */
export async function startServer(config: Config, logger: FastifyBaseLogger): Promise<RunningServer> {
  const { host, port } = parseAddress(config.serve.address, 'serve.address');
  const { open, signIn: signInAt, codec: codecFor } = config.serve;
  const encryption = codecFor && (await readEncryptionKeys(config.temporal.encryption));
  const seals = open || signInAt ? await SealedTokens.open(config) : undefined;
  const sessions = signInAt && seals && new Sessions(signInAt, seals);
  const portal = openPortalSignIn(config);
  const sources = new Sources(config);
  const turns = new Turns();
  const https = config.serve.tls && (await readCertificate(config.serve.tls));
  // Node looks every 30 s only, and no sooner than headers may take.
  const patience = { connectionsCheckingInterval: 1_000, headersTimeout: REQUEST_WITHIN_MS };
  const app = fastify({
    ...(https ? { https: { ...https, ...patience } } : { http: patience }),
    loggerInstance: logger,
    // What somebody asks for may be anything: what the log has of it is a route of ours and what came of it.
    logController: new LogController({ disableRequestLogging: true }),
    // A proxy says for whom it asks; anybody else could say that of themselves.
    trustProxy: [...config.serve.proxies],
    bodyLimit: BODY_MAX,
    requestTimeout: REQUEST_WITHIN_MS,
    return503OnClosing: true,
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  answerProblems(app);
  app.decorate('seals', seals);
  app.decorateRequest('caller');
  app.decorateRequest('admission');
  app.decorateRequest('filledIn');
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: sourcesOfPages },
    // Forms of a page without any referrer come with the origin "null", as those of a page elsewhere may.
    referrerPolicy: { policy: 'same-origin' },
  });
  await app.register(cookies);
  await app.register(rateLimit, {
    max: REQUESTS_A_SECOND,
    timeWindow: 1_000,
    errorResponseBuilder: () =>
      new Refusal(429, 'TOO_MANY', `More than ${REQUESTS_A_SECOND} requests in a second.`, 'Ask less often.'),
  });
  let known: Access | undefined;
  // Which port it has is known once it listens.
  const access = (): Access => (known ??= new Access(config.serve, portOf(app), sessions));
  app.addHook('onRequest', async (request) => access().requireHost(request));
  traceRequests(app);
  await app.register(probes(sources));
  if (portal && sessions && seals) await app.register(signIn({ portal, sessions, seals, access }));
  const base = (): string => pageAddress(config.serve) ?? urlOf(app, host);
  await app.register(hooksIn(sources, base));
  if (codecFor && encryption) await app.register(codec(new Set(codecFor.origins), encryption, access));
  const admit = async (request: FastifyRequest): Promise<void> => {
    await access().admit(request);
    requireRight(request.caller, request);
  };
  const { observe, answer } = metrics(sources);
  app.addHook('onResponse', async (request, reply) => observe(request, reply));
  endLinesOfAnswers(app);
  await app.register(async (seen) => {
    seen.addHook('onRequest', admit);
    await seen.register(answer);
  });
  await app.register(
    async (api) => {
      api.addHook('onRequest', admit);
      api.addHook('preValidation', refuseUnknownParameters);
      api.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));
      await describeApi(api, base);
      await api.register(operations(sources, turns));
    },
    { prefix: API },
  );
  await app.register(page({ sources, turns, access, problem: problemOfThrown }));
  if (config.serve.tls && app.server instanceof HttpsServer) {
    const end = renewCertificate(app.server, config.serve.tls, logger);
    app.addHook('onClose', () => Promise.resolve(end()));
  }
  app.addHook('onClose', () => sources.close());
  await app.listen({ host, port }).catch(async (thrown: unknown) => {
    await app.close();
    const isTaken = (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw isTaken
      ? new PortolanError('ADDRESS_IN_USE', `Another program already listens at ${config.serve.address}`, {
          hint: 'Set another port in serve.address of portolan.yaml.',
        })
      : thrown;
  });
  return {
    url: urlOf(app, host),
    close: () => app.close(),
  };
}

/**
 * A server that closes ends the lines on which nothing is asked just then, and waits for the others: those of streams
 * would stay open behind their end until somebody asks again there, or for 72 s.
 */
function endLinesOfAnswers(app: Pick<FastifyInstance, 'addHook'>): void {
  let isClosing = false;
  app.addHook('preClose', async () => void (isClosing = true));
  app.addHook('onResponse', async ({ raw }) => void (isClosing && raw.socket.destroySoon()));
}

const urlOf = (app: Parameters<typeof portOf>[0], host: string): string =>
  `${app.server instanceof HttpsServer ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${portOf(app)}`;

const portOf = ({ server }: { readonly server: { address(): AddressInfo | string | null } }): number => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

/** Whatever goes wrong is answered as a problem, and logged without what was asked for. */
function answerProblems(app: FastifyInstance): void {
  const methodsOf = methodsByAddress(app);
  app.setNotFoundHandler(({ method, url }, reply) => {
    const methods = methodsOf(url);
    if (methods.length > 0) {
      const allow = methods.join(', ');
      const words = `${method} is not possible here.`;
      const other = new Refusal(405, 'METHOD_NOT_ALLOWED', words, `This address takes: ${allow}.`);
      return reply.code(405).header('allow', allow).type(PROBLEM_TYPE).send(problemOf(other));
    }
    const nothing = new Refusal(404, 'NOT_FOUND', 'There is nothing here.', 'See /api/v1/openapi.json.');
    return reply.code(404).type(PROBLEM_TYPE).send(problemOf(nothing));
  });
  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    const problem = problemOfThrown(thrown);
    if (problem.status >= 500)
      request.log.error({ err: thrown, route: request.routeOptions.url }, 'request failed');
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
    if (problem.status === 429 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER_S);
    return reply.code(problem.status).type(PROBLEM_TYPE).send(problem);
  });
}

const problemOfThrown = (thrown: FastifyError): Problem =>
  problemOf(isBadRequest(thrown) ? badRequest(thrown) : thrown);

/** What Fastify itself has refused: a body that is too large, a value that is no number. */
const isBadRequest = (thrown: FastifyError): boolean =>
  thrown.validation !== undefined || (thrown.statusCode !== undefined && thrown.statusCode < 500);

function badRequest(thrown: FastifyError): Refusal {
  if (thrown instanceof Refusal) return thrown;
  const { statusCode = 400, message, validation, validationContext = 'body' } = thrown;
  const errors = validation
    ?.slice(0, PROBLEMS_MAX)
    .map(({ instancePath, message: words = 'is invalid' }) => ({
      in: validationContext,
      pointer: instancePath,
      detail: words.slice(0, 200),
    }));
  const words =
    errors
      ?.map(({ pointer, detail }) => (pointer === '/' ? detail : `${pointer.slice(1)}: ${detail}`))
      .join('; ') ?? message;
  return new Refusal(statusCode, 'USAGE', words.slice(0, 500), 'See /api/v1/openapi.json.', errors);
}
