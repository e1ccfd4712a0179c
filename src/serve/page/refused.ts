import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access';
import { type Problem, problemOf } from '../problem';

type Show = (request: FastifyRequest, reply: FastifyReply, problem: Problem) => Promise<FastifyReply>;

/**
 * What is wrong with what somebody has sent is said above the page that had the form, as that page is by then, and the
 * form keeps what was typed. What has no such page is left to whoever is asked next.
 * @param show throws where that page cannot be shown
 */
export const aboveItsPage =
  (show: Show) =>
  async (thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const problem = problemOf(thrown);
    // Whoever was not let in, or sends too much, is shown nothing.
    const { caller } = request as { readonly caller?: Caller };
    if (!caller || problem.status === 429 || problem.title === 'CROSS_SITE') throw thrown;
    // What is away for a moment may be asked again by the same form; all else is not the form's fault.
    if (problem.status >= 500 && problem.status !== 503) throw thrown;
    try {
      return await show(request, reply, problem);
    } catch {
      throw thrown;
    }
  };
