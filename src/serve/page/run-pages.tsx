import { addressOfRun } from '../../config/page-address';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { resolveRun } from '../../service/run/find-run';
import { planPage } from '../../service/run/lookup/plan-page';
import { readPlan } from '../../service/run/read-run';
import { readRunEvents } from '../../service/run/run-events';
import { runPage, withQueues } from '../../service/run/run-rows';
import { rowsNotShown, runTitle } from '../../service/run/run-words';
import type { Sources } from '../sources';
import { Done } from './flash-message';
import type { Pages } from './page-reply';
import type { Problem } from '../problem';
import { eventsQuery, runParams, runQuery, runsQuery } from './queries';
import { EventsPage } from './run/events-page';
import { PAGE_ROWS } from './run/plan';
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
      (request, reply) =>
        sources.both(async (found) => {
          const { runId } = (await resolveRun(found, request.params.run)).record;
          const events = await readRunEvents(found.temporal, runId);
          const body = <EventsPage runId={runId} events={events} from={request.query.from} />;
          return pages.send(request, reply, { title: `Events of ${runId}`, body });
        }),
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
  const { rows, older, isAway } = await pages.read(request, async (found) => {
    const { rows, next, unread } = await runPage(found, { ...filter, before, limit: RUNS_ON_PAGE });
    const isAway = found.temporal === undefined;
    return { rows: await withQueues(found, rows), older: next ?? unread, isAway };
  });
  const body = (
    <RunsPage
      rows={rows}
      next={older === undefined ? undefined : String(older)}
      asked={{ ...filter, before: before === undefined ? undefined : String(before) }}
      routes={[...config.routes.keys(), ...config.pipelines.keys()]}
      syncs={[...config.routes.keys()]}
      isAway={isAway}
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
  const { view, plan } = await pages.read(request, async (found) => {
    const view = await resolveRun(found, run);
    return { view, plan: await readPlan(found.store, view.record) };
  });
  const { record } = view;
  if (record.runId !== run && problem === undefined) return reply.redirect(addressOfRun(record.runId), 302);
  const body = (
    <>
      <Done request={request} did={did} />
      <RunPage
        view={view}
        page={plan.value && planPage(plan.value, { ...asked, count: PAGE_ROWS, byAction: true })}
        why={plan.why && rowsNotShown(plan.why)}
        asked={asked}
      />
    </>
  );
  const live = view.open ? `/api/v1/runs/${encodeURIComponent(record.runId)}/live` : undefined;
  return pages.send(request, reply, { title: runTitle(record), body, live, problem });
}
