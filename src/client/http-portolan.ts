import { z } from 'zod';
import { runEvent } from '../contract/runs';
import type { ServerAddress } from './server-address';
import { runsPage } from '../service/portolan/answers-view';
import type { Portolan } from '../service/portolan/portolan';
import type { PageOptions } from '../service/run/run-rows';
import { Api, PAGE_MAX, part } from './api';
import { credentialFor } from './credentials';
import { portolanOver } from './remote';
import { type Asked, ServerLine } from './server-connection';

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

  constructor(private readonly line: ServerLine) {
    this.api = new Api(line);
  }

  get portolan(): Portolan['portolan'] {
    return portolanOver(this.line);
  }

  get place(): Portolan['place'] {
    return { label: 'server', words: this.line.server.url };
  }

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
      const query: Asked['query'] = {
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

  readEvents = (text: string): ReturnType<Portolan['readEvents']> =>
    this.api.get(`/runs/${part(text)}/events`, z.array(runEvent));
}
