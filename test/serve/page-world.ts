import type { RunningServer } from '../../src/serve/server';
import { inProcess } from '../support/in-process';
import { jsonOf } from '../support/json';
import type { Site } from '../support/site';
import { openServedSite } from '../support/served-site';

/** Titles and reasons as somebody writes them who means no good. */
export const hostile = {
  markup: '<img src=x onerror="alert(1)">&lt;b&gt;</title><script>alert(2)</script>',
  bidi: 'safe\u202Egnp.exe\u2066\u200Bhidden',
  long: 'x'.repeat(100_000),
};

/** A server with something on each of its pages: a run that is over, one that waits, a backup, a release, a schedule. */
export interface PageWorld {
  readonly site: Site;
  readonly server: RunningServer;
  /** Over. */
  readonly runId: string;
  /** Waits for an approval, and overwrites. */
  readonly waiting: string;
  /** Addresses of every page, with something on each. */
  readonly pages: readonly string[];
  /** What a command says as JSON. */
  typed(...args: string[]): Promise<unknown>;
  close(): Promise<void>;
}

export async function openPageWorld(): Promise<PageWorld> {
  const site = await openServedSite({
    serve: { open: true },
    free: { backup: { maxAge: '26h' } },
    seedItems: 5,
  });
  const items = [...site.source.world.items.values()];
  Object.values(hostile).forEach((title, at) => {
    const item = items[at];
    if (item) site.source.world.items.put(item.id, { ...item, title });
  });
  const typed = async (...args: string[]): Promise<unknown> =>
    jsonOf(await inProcess([...args, '-o', 'json'], { cwd: site.folder }));
  await typed('schedule', 'apply', '--yes');
  await typed('backup', 'create', 'free');
  await typed('release', 'create', 'transport');
  const { runId } = (await typed('sync', 'free')) as { runId: string };
  site.editSource();
  const asks = ['sync', 'asks', '--full', '--no-wait', '--reason', hostile.markup];
  const { runId: waiting } = (await typed(...asks)) as { runId: string };
  await site.waiting(site.temporal.client.workflow.getHandle(waiting));
  return {
    site,
    server: site.server,
    runId,
    waiting,
    typed,
    pages: [
      ...['/', '/runs', '/runs?status=waiting', '/pipelines', '/pipelines/transport', '/backups'],
      ...['/items', `/items/${items[0]?.id}`],
      ...['/backups/free', '/coverage', '/schedules', '/audit', `/runs/${runId}`, `/runs/${runId}/events`],
      ...[`/runs/${waiting}`, '/runs/nothing-like-it', '/api'],
    ],
    close: () => site.close(),
  };
}
