import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { allSchedules } from '../../config/resolve-rule';
import { withLastTimes } from '../../service/run/lookup/last-time';
import { withRecords } from '../../service/run/lookup/row-records';
import { runPage } from '../../service/run/run-rows';
import { auditPage } from '../../service/status/audit';
import { ruleName } from '../../service/protect/rule-sheets';
import { readStatus } from '../../service/status/read-status';
import { type Problem, Refusal } from '../problem';
import type { Sources } from '../sources';
import { ApiPage } from './pages/api-page';
import { AuditPage } from './pages/audit-page';
import { BackupsPage, IN_CHART, ofRoute } from './pages/backups-page';
import { CoveragePage, RulePage } from './pages/coverage-page';
import { Done } from './flash-message';
import { ItemPage } from './pages/item-page';
import { ItemsPage } from './pages/items-page';
import { NowPage } from './pages/now-page';
import type { Pages } from './page-reply';
import { PipelinePage, PipelinesPage } from './pages/pipelines-page';
import {
  auditQuery,
  didQuery,
  itemParams,
  itemQuery,
  itemsQuery,
  pipelineParams,
  pipelineQuery,
  routeParams,
  ruleParams,
} from './queries';
import { RoutePage } from './pages/route-page';
import { SchedulesPage } from './pages/schedules-page';

const LIVE = '/api/v1/live';

/** Open runs of each status that are shown in full on the first page. */
const SHOWN_OF_EACH = 8;

/** Snapshots that are read for one page. */
const SNAPSHOTS_ON_PAGE = 100;

/** Items that fit on one page. */
const ITEMS_ON_PAGE = 100;

/** Runs whose actions fit on one audit page. */
const AUDITED_RUNS = 50;

/** Now, pipelines, backups, schedules and the audit. */
export const roomPages =
  (sources: Sources, pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    const { config } = sources;

    app.get('/', async (request, reply) => {
      const now = await pages.read(request, async (found) => {
        const status = await readStatus(found);
        const shown = [status.waiting, status.parked, status.running].flatMap((rows) =>
          rows.slice(0, SHOWN_OF_EACH),
        );
        return { status, open: await withLastTimes(found, await withRecords(found, shown)) };
      });
      return pages.send(request, reply, { title: 'Now', body: <NowPage {...now} />, live: LIVE });
    });

    app.get('/api', (request, reply) => pages.send(request, reply, { title: 'API', body: <ApiPage /> }));

    app.get('/pipelines', async (request, reply) => {
      const pipelines = await request.portolan.listPipelines();
      return pages.send(request, reply, {
        title: 'Pipelines',
        body: <PipelinesPage pipelines={pipelines} />,
      });
    });

    app.get(
      '/pipelines/:pipeline',
      { schema: { params: pipelineParams, querystring: pipelineQuery } },
      (request, reply) => showPipeline(pages, request, reply, { ...request.params, ...request.query }),
    );

    app.get('/backups', async (request, reply) => {
      const [backups, rules] = await Promise.all([
        request.portolan.listSnapshots({ limit: SNAPSHOTS_ON_PAGE }),
        request.portolan.listRules(),
      ]);
      return pages.send(request, reply, {
        title: 'Backups',
        body: <BackupsPage {...backups} rules={rules} configured={[...config.routes.keys()]} />,
      });
    });

    app.get('/backups/:route', { schema: { params: routeParams } }, (request, reply) =>
      showRoute(sources, pages, request, reply, request.params),
    );

    app.get('/coverage', async (request, reply) => {
      const [rules, portals] = await Promise.all([
        request.portolan.listRules(),
        request.portolan.listCoverage(),
      ]);
      const body = <CoveragePage rules={rules} portals={portals} />;
      return pages.send(request, reply, { title: 'Coverage', body, live: LIVE });
    });

    app.get('/coverage/:rule', { schema: { params: ruleParams } }, async (request, reply) => {
      const rule = await request.portolan.readRule(request.params);
      const title = ruleName(rule);
      return pages.send(request, reply, { title, body: <RulePage rule={rule} />, live: LIVE });
    });

    app.get('/items', { schema: { querystring: itemsQuery } }, async (request, reply) => {
      const { search, after: cursor } = request.query;
      const found = await request.portolan.listItems({ query: search, cursor, limit: ITEMS_ON_PAGE });
      return pages.send(request, reply, {
        title: 'Items',
        body: <ItemsPage {...found} search={search} />,
      });
    });

    app.get('/items/:item', { schema: { params: itemParams, querystring: itemQuery } }, (request, reply) =>
      showItem(sources, pages, request, reply, { ...request.params, ...request.query }),
    );

    app.get('/schedules', { schema: { querystring: didQuery } }, (request, reply) =>
      showSchedules(sources, pages, request, reply, request.query),
    );

    app.get('/audit', { schema: { querystring: auditQuery } }, async (request, reply) => {
      const audit = await pages.read(request, (found) =>
        auditPage(found, { before: request.query.before, limit: AUDITED_RUNS }),
      );
      return pages.send(request, reply, { title: 'Audit', body: <AuditPage {...audit} /> });
    });
  };

/** An error of a form, shown above its page. */
interface Refused {
  readonly problem?: Problem;
}

/** The stages of a pipeline and the forms of each. */
export async function showPipeline(
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { pipeline, drift, did, problem }: Refused & { readonly pipeline: string } & z.output<typeof pipelineQuery>,
): Promise<FastifyReply> {
  const withDrift = drift !== undefined;
  const shown = await pages.read(request, async ({ temporal }) => ({
    ...(await request.portolan.readPipeline({ pipeline, drift: withDrift })),
    isAway: temporal === undefined,
  }));
  const body = (
    <>
      <Done request={request} did={did} />
      <PipelinePage {...{ ...shown, withDrift }} />
    </>
  );
  const live = withDrift ? undefined : LIVE;
  return pages.send(request, reply, { title: pipeline, body, live, problem });
}

/** The backups of a route. Throws `ROUTE_NOT_FOUND`. */
export async function showRoute(
  { config }: Sources,
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { route, problem }: Refused & { readonly route: string },
): Promise<FastifyReply> {
  const { backups, runs } = await pages.read(request, async (found) => ({
    backups: await request.portolan.listSnapshots({ route, safeguards: true, limit: SNAPSHOTS_ON_PAGE }),
    runs: (await runPage(found, { route, limit: IN_CHART })).rows,
  }));
  const state = backups.routes.find((each) => each.route === route);
  const configured = config.routes.get(route);
  if (state === undefined && configured === undefined)
    throw new Refusal(404, 'ROUTE_NOT_FOUND', 'There is no route of this name.', 'See /backups.');
  const body = (
    <RoutePage
      {...{ route, state, runs, isConfigured: configured !== undefined, hasMore: backups.next !== undefined }}
      snapshots={ofRoute(backups.snapshots, route)}
      portals={[...config.portals.keys()]}
      home={configured?.source}
    />
  );
  return pages.send(request, reply, { title: `Backups of ${route}`, body, live: LIVE, problem });
}

/** The versions of an item. Throws `ITEM_NOT_FOUND`. */
export async function showItem(
  { config }: Sources,
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { item, portal, problem }: Refused & { readonly item: string; readonly portal?: string },
): Promise<FastifyReply> {
  // A portal may have had another name when its backup was made.
  const known = portal !== undefined && config.portals.has(portal) ? portal : undefined;
  const history = await request.portolan.readItemHistory({ item, portal: known });
  return pages.send(request, reply, {
    title: history.title,
    body: <ItemPage {...history} />,
    problem,
  });
}

/** The schedules. */
export async function showSchedules(
  { config }: Sources,
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { did, problem }: Refused & z.output<typeof didQuery>,
): Promise<FastifyReply> {
  const rows = await pages.read(
    request,
    async ({ temporal }) => temporal && (await request.portolan.listSchedules()),
  );
  const body = (
    <>
      <Done request={request} did={did} />
      <SchedulesPage rows={rows} configured={[...allSchedules(config).keys()]} />
    </>
  );
  return pages.send(request, reply, { title: 'Schedules', body, live: LIVE, problem });
}
