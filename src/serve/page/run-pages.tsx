import { addressOfRun } from '../../config/page-address';
import { PortolanError } from '../../model/errors/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { rowsNotShown, runTitle } from '../../service/run/run-words';
import type { Sources } from '../sources';
import { Done } from './flash-message';
import type { Pages } from './page-reply';
import type { Problem } from '../problem';
import { eventsQuery, runParams, runQuery, runsQuery } from './queries';
import { EventsPage } from './run/events-page';
import { PAGE_ROWS, rowsShown } from './run/plan';
import { RunPage } from './run/run-page';
import { RunsPage } from './pages/runs-page';

/** Runs on one page. */
const RUNS_ON_PAGE = 50;

/** The list of runs, each run and its events. */
export const runPages =
  (sources: Sources, pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/runs', { schema: { querystring: runsQuery } }, async (request, reply) =>
      showRuns(sources, pages, request, reply, request.query),
    );

    app.get(
      '/runs/:run',
      { schema: { params: runParams, querystring: runQuery } },
      async (request, reply) => {
        const { did, ...asked } = request.query;
        return await showRun(pages, request, reply, { run: request.params.run, asked, did });
      },
    );

    app.get(
      '/runs/:run/events',
      { schema: { params: runParams, querystring: eventsQuery } },
      async (request, reply) => {
        const portolan = request.portolan;
        const { runId } = (await portolan.viewRun(request.params)).record;
        const events = await portolan.readEvents({ run: runId });
        const body = <EventsPage runId={runId} events={events} from={request.query.from} />;
        return pages.send(request, reply, { title: `Events of ${runId}`, body });
      },
    );
  };

/** The newest runs that match, and a form that starts one. */
export async function showRuns(
  { config }: Sources,
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { before, ...filter }: z.output<typeof runsQuery>,
  problem?: Problem,
): Promise<FastifyReply> {
  const listed = await pages.read(request, () =>
    request.portolan.listRuns({ ...filter, cursor: before, limit: RUNS_ON_PAGE }),
  );
  const body = (
    <RunsPage
      listed={listed}
      asked={{ ...filter, before }}
      routes={[...config.routes.keys(), ...config.pipelines.keys()]}
      syncs={[...config.routes.keys()]}
    />
  );
  return pages.send(request, reply, { title: 'Runs', body, live: '/api/v1/live', problem });
}

interface ToShow {
  readonly run: string;
  readonly asked?: Omit<z.output<typeof runQuery>, 'did'>;
  readonly did?: string;
  /** An error of a form, shown above the run. */
  readonly problem?: Problem;
}

/** The page of a run, under its full ID. */
export async function showRun(
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { run, asked = { from: 0 }, did, problem }: ToShow,
): Promise<FastifyReply> {
  const { view, page, why } = await pages.read(request, async () => {
    const portolan = request.portolan;
    const view = await portolan.viewRun({ run });
    const { runId, plan } = view.record;
    if (plan === undefined) return { view, page: undefined, why: undefined };
    const { from, search } = asked;
    const rows = {
      ...rowsShown(asked, plan),
      search,
      byAction: true,
      cursor: String(from),
      limit: PAGE_ROWS,
    };
    return await portolan.readPlan({ run: runId, plan: plan.sha256, ...rows }).then(
      (page) => ({ view, page, why: undefined }),
      (thrown: unknown) => ({ view, page: undefined, why: PortolanError.from(thrown) }),
    );
  });
  const { record } = view;
  if (record.runId !== run && problem === undefined) return reply.redirect(addressOfRun(record.runId), 302);
  const body = (
    <>
      <Done request={request} did={did} />
      <RunPage
        view={view}
        page={page}
        why={why && why.code !== 'NOT_FOUND' ? rowsNotShown(why) : undefined}
        asked={asked}
      />
    </>
  );
  const live = view.open ? `/api/v1/runs/${encodeURIComponent(record.runId)}/live` : undefined;
  return pages.send(request, reply, { title: runTitle(record), body, live, problem });
}
