import type { FastifyError, FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { type Access, requireRight, signInPath, wantsPage } from '../access';
import type { Contract } from '../../contract/contract';
import type { Api } from '../../contract/operation';
import type { Caller } from '../../service/may';
import { operationsFor } from '../api/operations';
import { type Problem, problemOf, Refusal } from '../problem';
import { takeForms } from '../session/same-site';
import type { Sources } from '../sources';
import type { Turns } from '../caller-limit';
import { serveAssets } from './assets';
import { Pages } from './page-reply';
import { ProblemPage } from './problem-page';
import { roomPages } from './room-pages';
import { runPages } from './run-pages';
import { actionRoutes } from './actions/action-routes';

declare module 'fastify' {
  interface FastifyRequest {
    /** Operations on behalf of the visitor. */
    portolan: Api<Contract>;
  }
}

/** What the web UI needs from the server. */
interface PageOptions {
  readonly sources: Sources;
  readonly turns: Turns;
  readonly access: () => Access;
  /** Turns any error, also one of Fastify, into a problem. */
  readonly problem: (thrown: FastifyError) => Problem;
}

/** The web UI. It works with and without JavaScript. */
export const page =
  ({ sources, turns, access, problem }: PageOptions): FastifyPluginAsyncZod =>
  async (app) => {
    const hasSignIn = sources.config.serve.signIn !== undefined;
    const pages = new Pages(serveAssets(app), sources);
    await app.register(async (guarded: FastifyInstance) => {
      await takeForms(guarded);
      guarded.decorateRequest('portolan');
      guarded.addHook('onRequest', async (request) => {
        await access().admit(request);
        requireRight(request.caller, request);
        request.portolan = operationsFor(request, sources, turns);
      });
      guarded.setErrorHandler((thrown: FastifyError, request, reply) => {
        const told = problem(thrown);
        if (told.status === 401 && hasSignIn && wantsPage(request))
          return reply.redirect(signInPath(request), 303);
        if (told.status >= 500)
          request.log.error({ err: thrown, route: request.routeOptions.url }, 'request failed');
        const { title, status } = told;
        const body = <ProblemPage problem={told} hasSignIn={hasSignIn} isIn={request.caller !== undefined} />;
        return pages.send(request, reply, { title, status, body });
      });
      await guarded.register(runPages(sources, pages));
      await guarded.register(roomPages(sources, pages));
      await guarded.register(actionRoutes(sources, pages));
    });
    await app.register(nothingHere({ sources, access }, pages));
  };

/** Shows browsers an unknown URL as a page, with a link back for callers who are signed in. */
const nothingHere =
  ({ sources, access }: Pick<PageOptions, 'sources' | 'access'>, pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/*', { schema: { hide: true } }, async (request, reply) => {
      if (!wantsPage(request) || request.url.startsWith('/api/')) return reply.callNotFound();
      await access()
        .admit(request)
        .catch(() => undefined);
      const nothing = new Refusal(404, 'NOT_FOUND', 'There is no page at this URL.', 'Check the URL.');
      const told = problemOf(nothing);
      const { title, status } = told;
      const hasSignIn = sources.config.serve.signIn !== undefined;
      const isIn = (request as { readonly caller?: Caller }).caller !== undefined;
      const body = <ProblemPage problem={told} hasSignIn={hasSignIn} isIn={isIn} />;
      return pages.send(request, reply, { title, status, body });
    });
  };
