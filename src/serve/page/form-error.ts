import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../service/may';
import { type Problem, problemOf } from '../problem';

type Show = (request: FastifyRequest, reply: FastifyReply, problem: Problem) => Promise<FastifyReply>;

/**
 * Shows an error above the current state of the page that had the form; the form keeps what was typed. An error that
 * has no such page goes to the next error handler.
 * @param show throws if that page cannot be shown
 */
export const showFormError =
  (show: Show) =>
  async (thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const problem = problemOf(thrown);
    // Callers that are not signed in, or over the limit, get no page.
    const { caller } = request as { readonly caller?: Caller };
    if (!caller || problem.status === 429 || problem.title === 'CROSS_SITE') throw thrown;
    // 503 is temporary: the same form may be sent again. Other server errors have nothing to do with the form.
    if (problem.status >= 500 && problem.status !== 503) throw thrown;
    try {
      return await show(request, reply, problem);
    } catch {
      throw thrown;
    }
  };
