import { z } from 'zod';
import { statusView } from '../contract/status';
import { slotHolder, portalQueueView } from '../contract/queues';
import type { ServerAddress } from './server-address';
import { parseQueueName, releasedSlot } from '../service/run/release-slot';
import type { Held, Portolan } from '../service/portolan/portolan';
import { who } from '../service/portolan/who-view';
import { Api, part } from './api';
import { credentialFor } from './credentials';
import { httpHooks, httpRoutes } from './http-operating';
import { httpPipelines, httpReleases } from './http-releases';
import { httpSchedules } from './http-schedules';
import { httpSnapshots } from './http-snapshots';
import { portolanOver } from './remote';
import { ServerLine } from './server-connection';

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
