import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import type { Contract } from '../../contract/contract';
import type { Api } from '../../contract/operation';
import type { ReadContext } from '../../service/run/run-sources';
import { operationsFor } from '../api/operations';
import type { Problem } from '../problem';
import { csrfToken } from '../session/same-site';
import type { Sources } from '../sources';
import type { Turns } from '../caller-limit';
import { type Deed, markDeed } from './flash-message';
import { ProblemBox } from './problem-page';
import { renderPage } from './render';
import { SharedReads } from './shared-reads';
import { Shell } from './shell';
import type { Visit } from './visit';

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
    private readonly sources: Sources,
    private readonly turns: Turns,
  ) {
    this.reads = new SharedReads(sources);
  }

  /** Operations as the visitor. */
  portolan(request: FastifyRequest): Api<Contract> {
    return operationsFor(request, this.sources, this.turns);
  }

  /** Reads what a page shows. */
  async read<T>(request: FastifyRequest, work: (sources: ReadContext) => Promise<T>): Promise<T> {
    return await this.reads.read(request, work);
  }

  /** Reads what a page shows, if that takes requests to portals. */
  async ask<T>(request: FastifyRequest, work: (sources: ReadContext) => Promise<T>): Promise<T> {
    const leave = this.turns.take(request.caller);
    try {
      // The read is shared with other visitors, so it continues when this one leaves.
      return await this.reads.read(request, work);
    } finally {
      leave();
    }
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
