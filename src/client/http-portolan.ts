import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ServerAddress } from './server-address';
import type { ErrorCode } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';
import { type RunRecord, runRecord } from '../model/run/run';
import { plan } from '../model/transfer/plan';
import { slotHolder, portalQueueView } from '../service/portal-queue/queue-view';
import { parseQueueName, releasedSlot } from '../service/run/release-slot';
import { HEADER_KEY, NOTHING_TO_RETRY, runsPage } from '../service/portolan/answers-view';
import type { Begin, Held, Portolan } from '../service/portolan/portolan';
import { begunRun, type Start } from '../service/portolan/start';
import { who } from '../service/portolan/who-view';
import {
  approved,
  type ApproveRequest,
  approveRequest,
  cancelled,
  type CancelRequest,
  cancelRequest,
  rejected,
  type RejectRequest,
  rejectRequest,
  resumed,
  type ResumeRequest,
  resumeRequest,
} from '../service/run/answer-run';
import { runEvent } from '../service/run/run-event-view';
import type { PageOptions } from '../service/run/run-rows';
import { type RunView, runView, takeoverView } from '../service/run/run-view';
import { LOOK_AGAIN_FOR_MS } from '../service/run/watch-run';
import { backupRequest, drillRequest } from '../service/start/backup';
import { promotionRequest, stageRollbackRequest } from '../service/start/promotion';
import { releaseRequest } from '../service/start/release';
import { type Beginning, restartRequest } from '../service/start/restart';
import { restoreRequest, rollbackRequest } from '../service/start/restore';
import { retryRequest } from '../service/start/retry';
import { syncRequest } from '../service/start/sync';
import { statusView } from '../service/status/status-view';
import { API, Api, PAGE_MAX, part } from './api';
import { credentialFor } from './credentials';
import { httpFreezes, httpHooks, httpRoutes } from './http-operating';
import { httpPipelines, httpReleases } from './http-releases';
import { httpSchedules } from './http-schedules';
import { httpSnapshots } from './http-snapshots';
import { errorOfProblem } from './problem';
import { type RequestOptions, ServerLine } from './server-connection';

/** Pause before reconnecting, after a stream ended or the server was unreachable. @format milliseconds */
const ASK_AGAIN_MS = 1_000;

/** Errors for which a retry cannot help. */
const lasting: ReadonlySet<ErrorCode> = new Set([
  'RUN_NOT_FOUND',
  'KEY_REFUSED',
  'RIGHT_MISSING',
  'SERVER_ANSWER',
]);

/** Why the rows of a plan cannot be shown although the run can. */
const untold: ReadonlySet<ErrorCode> = new Set(['NOTE_ALTERED', 'SECRET_UNREADABLE', 'SERVER_UNREACHABLE']);

/** Request of each kind of start. */
const requests: Readonly<Record<Start['what'], z.ZodObject>> = {
  sync: syncRequest,
  backup: backupRequest,
  drill: drillRequest,
  restore: restoreRequest,
  release: releaseRequest,
  promotion: promotionRequest,
  'stage rollback': stageRollbackRequest,
  retry: retryRequest,
  restart: restartRequest,
  rollback: rollbackRequest,
};

/** Path of each kind of start. */
const startPath = (start: Start): string => {
  switch (start.what) {
    case 'sync':
      return '/syncs';
    case 'backup':
      return '/backups';
    case 'drill':
      return '/drills';
    case 'restore':
      return '/restores';
    case 'release':
      return '/releases';
    case 'promotion':
      return '/promotions';
    case 'stage rollback':
      return `/pipelines/${part(start.pipeline)}/stages/${part(start.stage)}/rollback`;
    default:
      return `/runs/${part(start.run)}/${start.what}`;
  }
};

/** The request without options of the command itself, which a server does not know. */
const picked = (schema: z.ZodObject, given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in schema.shape));

/** Uses a server with the credential saved on this machine. */
export async function withServer<T>(
  server: ServerAddress,
  work: (portolan: Portolan) => Promise<T>,
): Promise<T> {
  const line = new ServerLine({ url: server.url }, await credentialFor(server));
  try {
    return await work(new HttpPortolan(line));
  } finally {
    await line.close();
  }
}

/** Client of a `portolan serve`, over HTTP. */
export class HttpPortolan implements Portolan {
  private readonly api: Api;
  readonly schedules: Portolan['schedules'];
  readonly snapshots: Portolan['snapshots'];
  readonly releases: Portolan['releases'];
  readonly pipelines: Portolan['pipelines'];
  readonly freezes: Portolan['freezes'];
  readonly hooks: Portolan['hooks'];
  readonly routes: Portolan['routes'];

  constructor(private readonly line: ServerLine) {
    this.api = new Api(line);
    this.schedules = httpSchedules(this.api);
    this.snapshots = httpSnapshots(this.api);
    this.releases = httpReleases(this.api);
    this.pipelines = httpPipelines(this.api);
    this.freezes = httpFreezes(this.api);
    this.hooks = httpHooks(this.api);
    this.routes = httpRoutes(this.api);
  }

  get place(): Portolan['place'] {
    return { label: 'server', words: this.line.server.url };
  }

  whoami = () => this.api.get('/whoami', who);

  async listRuns({
    limit = Infinity,
    before,
    route,
    schedule,
    status,
  }: Omit<PageOptions, 'onUntold'>): ReturnType<Portolan['listRuns']> {
    const runs = [];
    const notes = new Set<string>();
    let cursor = before;
    for (;;) {
      const query: RequestOptions['query'] = {
        route,
        schedule,
        status,
        cursor,
        limit: Math.min(limit - runs.length, PAGE_MAX),
      };
      const page: z.infer<typeof runsPage> = await this.api.get('/runs', runsPage, query);
      runs.push(...page.runs);
      for (const note of page.notes ?? []) notes.add(note);
      const older = page.next === undefined ? undefined : Number(page.next);
      if (page.unread) return { runs, notes: [...notes], unread: older };
      if (older === undefined || older === cursor || runs.length >= limit)
        return { runs, notes: [...notes], next: older };
      cursor = older;
    }
  }

  resolveRun = (text: string): Promise<RunView> => this.api.get(`/runs/${part(text)}/view`, runView);
  seekGroupRun = (text: string): Promise<RunView> =>
    this.api.get(`/runs/${part(text)}/view`, runView, { ofGroup: true });

  async *watchRun(runId: string, signal: AbortSignal): AsyncGenerator<RunView> {
    const path = `/runs/${part(runId)}/live?of=view`;
    let lostAt: number | undefined;
    const missed = (thrown: unknown): void => {
      const error = PortolanError.from(thrown);
      lostAt ??= Date.now();
      if (lasting.has(error.code) || Date.now() - lostAt > LOOK_AGAIN_FOR_MS) throw error;
    };
    while (!signal.aborted) {
      try {
        for await (const { event, data } of this.line.events(`${API}${path}`, signal)) {
          if (event === 'over') return;
          if (event === 'problem') missed(errorOfProblem(this.line.server, data));
          if (event !== 'view') continue;
          lostAt = undefined;
          const view = this.line.claim(path, runView, data);
          yield view;
          if (!view.open) return;
        }
      } catch (thrown) {
        if (signal.aborted) return;
        missed(thrown);
      }
      await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async readPlan({ runId, plan: figures }: RunRecord): ReturnType<Portolan['readPlan']> {
    if (figures?.ref === undefined) return {};
    const page = plan.extend({ next: z.string().max(16).optional() });
    try {
      const query = { limit: PAGE_MAX };
      const { next: first, ...value } = await this.api.get(`/runs/${part(runId)}/plan`, page, query);
      const rows = [...value.rows];
      for (let cursor = first; cursor !== undefined;) {
        const more = await this.api.get(`/runs/${part(runId)}/plan`, page, { ...query, cursor });
        rows.push(...more.rows);
        cursor = more.rows.length === 0 ? undefined : more.next;
      }
      return { value: { ...value, rows } };
    } catch (thrown) {
      const why = PortolanError.from(thrown);
      // A missing plan needs no reason, as with local access.
      if (why.code === 'NOT_FOUND') return {};
      if (untold.has(why.code)) return { why };
      throw why;
    }
  }

  readEvents = (text: string): ReturnType<Portolan['readEvents']> =>
    this.api.get(`/runs/${part(text)}/events`, z.array(runEvent));

  approve = (text: string, said: ApproveRequest): ReturnType<Portolan['approve']> =>
    this.api.post(`/runs/${part(text)}/approve`, approved, picked(approveRequest, said));
  reject = (text: string, said: RejectRequest): ReturnType<Portolan['reject']> =>
    this.api.post(`/runs/${part(text)}/reject`, rejected, picked(rejectRequest, said));
  resume = (text: string, said: ResumeRequest): ReturnType<Portolan['resume']> =>
    this.api.post(`/runs/${part(text)}/resume`, resumed, picked(resumeRequest, said));

  cancel(text: string, said: CancelRequest): ReturnType<Portolan['cancel']> {
    const schema = cancelled.extend({ record: runRecord });
    return this.api.post(`/runs/${part(text)}/cancel`, schema, picked(cancelRequest, said));
  }

  async begin(
    start: Start,
    { requestId, attended = false, say, onPrepared }: Begin,
  ): ReturnType<Portolan['begin']> {
    const schema = begunRun.extend({ said: z.array(z.string()).optional() });
    const isHeader = requestId !== undefined && HEADER_KEY.test(requestId);
    const headers = isHeader ? { 'idempotency-key': requestId } : undefined;
    try {
      const query = { ...(attended && { attended }), ...(!isHeader && { requestId }) };
      const { said = [], ...begun } = await this.api.post(
        startPath(start),
        schema,
        picked(requests[start.what], start.request),
        {
          headers,
          query,
        },
      );
      for (const words of said) say?.(words);
      onPrepared?.(begun.takeover);
      return begun;
    } catch (thrown) {
      if (thrown instanceof PortolanError && thrown.facts['title'] === NOTHING_TO_RETRY) return undefined;
      throw thrown;
    }
  }

  async lookAtRestart(text: string, from: Beginning): ReturnType<Portolan['lookAtRestart']> {
    const schema = z.object({ takeover: takeoverView.optional() });
    return (await this.api.get(`/runs/${part(text)}/takeover`, schema, { from })).takeover;
  }

  status = (): ReturnType<Portolan['status']> => this.api.get('/status', statusView);
  listQueues = (): ReturnType<Portolan['listQueues']> => this.api.get('/queues', z.array(portalQueueView));

  async seekHolder(queue: string, text: string): Promise<Held> {
    const { portal, direction } = parseQueueName(queue);
    const path = `/queues/${part(portal)}/${direction}/holder`;
    return { portal, direction, ...(await this.api.get(path, slotHolder, { run: text })) };
  }

  releaseSlot(
    { portal, direction, runId: run, since }: Held,
    reason: string,
  ): ReturnType<Portolan['releaseSlot']> {
    const path = `/queues/${part(portal)}/${direction}/release`;
    return this.api.post(path, releasedSlot, { run, since, reason });
  }
}
