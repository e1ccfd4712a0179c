import { z } from 'zod';
import { statusView } from '../contract/status';
import { slotHolder, portalQueueView } from '../contract/queues';
import type { ServerAddress } from './server-address';
import { PortolanError } from '../model/errors/errors';
import { parseQueueName, releasedSlot } from '../service/run/release-slot';
import { HEADER_KEY, NOTHING_TO_RETRY } from '../service/portolan/answers-view';
import type { Begin, Held, Portolan } from '../service/portolan/portolan';
import { begunRun, type Start } from '../service/portolan/start';
import { who } from '../service/portolan/who-view';
import { backupRequest, drillRequest } from '../service/start/backup';
import { promotionRequest, stageRollbackRequest } from '../service/start/promotion';
import { releaseRequest } from '../service/start/release';
import { restartRequest } from '../service/start/restart';
import { restoreRequest, rollbackRequest } from '../service/start/restore';
import { retryRequest } from '../service/start/retry';
import { syncRequest } from '../service/start/sync';
import { Api, part } from './api';
import { credentialFor } from './credentials';
import { httpHooks, httpRoutes } from './http-operating';
import { httpPipelines, httpReleases } from './http-releases';
import { httpSchedules } from './http-schedules';
import { httpSnapshots } from './http-snapshots';
import { portolanOver } from './remote';
import { ServerLine } from './server-connection';

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
  readonly hooks: Portolan['hooks'];
  readonly routes: Portolan['routes'];

  constructor(private readonly line: ServerLine) {
    this.api = new Api(line);
    this.schedules = httpSchedules(this.api);
    this.snapshots = httpSnapshots(this.api);
    this.releases = httpReleases(this.api);
    this.pipelines = httpPipelines(this.api);
    this.hooks = httpHooks(this.api);
    this.routes = httpRoutes(this.api);
  }

  get portolan(): Portolan['portolan'] {
    return portolanOver(this.line);
  }

  get place(): Portolan['place'] {
    return { label: 'server', words: this.line.server.url };
  }

  whoami = () => this.api.get('/whoami', who);

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
