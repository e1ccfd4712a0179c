import formbody from '@fastify/formbody';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { type Access, requireRight } from '../access';
import type { Problem } from '../problem';
import type { Sources } from '../sources';
import { serveAssets } from './assets';
import { requireOwnPage } from './csrf';
import { operateActions } from './operate-actions';
import { Pages } from './page-reply';
import { ProblemPage } from './problem-page';
import { roomPages } from './room-pages';
import { runActions } from './run-actions';
import { runPages } from './run-pages';
import { startActions } from './start-actions';

/** What the server hands to its pages. */
interface PageOptions {
  readonly sources: Sources;
  readonly access: () => Access;
  /** What is told of anything that was thrown, by Fastify as well. */
  readonly problem: (thrown: FastifyError) => Problem;
}

/** The page: everything that can be asked and told, for a person with a browser, with and without JavaScript. */
export const page =
  ({ sources, access, problem }: PageOptions): FastifyPluginAsyncZod =>
  async (app) => {
    const pages = new Pages(serveAssets(app));
    await app.register(formbody);
    await app.register(async (guarded: FastifyInstance) => {
      guarded.decorateRequest('caller');
      guarded.addHook('onRequest', async (request) => {
        request.caller = access().require(request);
        requireOwnPage(request);
        requireRight(request.caller, request);
      });
      guarded.setErrorHandler((thrown: FastifyError, request, reply) => {
        const told = problem(thrown);
        if (told.status >= 500)
          request.log.error({ err: thrown, route: request.routeOptions.url }, 'not answered');
        return showProblem(pages, request, reply, told);
      });
      await guarded.register(runPages(sources, pages));
      await guarded.register(roomPages(sources, pages));
      await guarded.register(runActions(sources, pages));
      await guarded.register(startActions(sources));
      await guarded.register(operateActions(sources));
    });
  };

const showProblem = (
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply =>
  pages.send(request, reply, {
    title: problem.title,
    body: <ProblemPage problem={problem} />,
    status: problem.status,
  });
