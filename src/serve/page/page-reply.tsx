import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren, VNode } from 'preact';
import type { ReadContext } from '../../service/run/run-sources';
import type { Problem } from '../problem';
import { csrfToken } from '../session/same-site';
import type { Sources } from '../sources';
import { type Deed, markDeed } from './flash-message';
import { ProblemBox } from './problem-page';
import { SharedReads } from './shared-reads';
import { Shell } from './shell';
import type { Visit } from './visit';
import { renderToString } from 'preact-render-to-string';
import { visibleLines } from '../../model/text/plain-text';

/** What a page shows. */
export interface Shown {
  readonly title: string;
  readonly body: ComponentChildren;
  /** URL of the event stream that reports changes to what is shown. */
  readonly live?: string;
  /** An error of a form, shown above the page; the form keeps what was typed. */
  readonly problem?: Problem;
  /** @default 200, or that of the problem */
  readonly status?: number;
}

/** Renders and sends pages. */
export class Pages {
  private readonly reads: SharedReads;

  constructor(
    private readonly assets: Visit['assets'],
    sources: Sources,
  ) {
    this.reads = new SharedReads(sources);
  }

  /** Reads what a page shows. */
  async read<T>(request: FastifyRequest, work: (sources: ReadContext) => Promise<T>): Promise<T> {
    return await this.reads.read(request, work);
  }

  send(
    request: FastifyRequest,
    reply: FastifyReply,
    { title, body, live, problem, status = problem?.status ?? 200 }: Shown,
  ): FastifyReply {
    const path = new URL(request.url, 'http://here').pathname;
    const visit: Visit = {
      caller: request.caller,
      path,
      typed: problem && { to: path, fields: request.filledIn ?? {} },
      // Callers with a key need no token.
      csrf: (request.admission && csrfToken(request)) || undefined,
      mayLeave: request.admission?.by === 'cookie',
      assets: this.assets,
      now: Date.now(),
    };
    // With an error on the page there are no live updates: they would replace what was typed.
    const isLive = live !== undefined && !problem && hasStream(request, live);
    const stream = isLive ? live : undefined;
    const html = renderPage(
      <Shell visit={visit} title={title} live={stream}>
        {problem && <ProblemBox problem={problem} />}
        {body}
      </Shell>,
    );
    return reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(html);
  }
}

const hasStream = ({ server }: FastifyRequest, live: string): boolean =>
  server.hasRoute({
    method: 'GET',
    url: live.replace(/\?.*/, '').replace(/\/runs\/[^/]+\//, '/runs/:run/'),
  });

/** Redirects from a form to a page with the result. Reloading that page repeats nothing. */
export const goTo = (reply: FastifyReply, address: string, deed: Deed): FastifyReply =>
  reply.redirect(`${address}?did=${markDeed(reply.request, address, deed)}`, 303);

/**
 * A page as HTML. The renderer escapes every text and attribute. Invisible characters, and those that change the
 * direction of text, are removed from the whole page.
 */
export const renderPage = (page: VNode): string => `<!doctype html>\n${visibleLines(renderToString(page))}`;
