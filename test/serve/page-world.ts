import { openServedSite } from '../support/served-site';
import { typedIn } from '../support/typed-in';

/** Titles and reasons as somebody writes them who means no good. */
export const hostile = {
  markup: '<img src=x onerror="alert(1)">&lt;b&gt;</title><script>alert(2)</script>',
  bidi: 'safe\u202Egnp.exe\u2066\u200Bhidden',
  long: 'x'.repeat(100_000),
};

/** A server with something on each of its pages: a run that has ended, one that waits, a backup, a release, a schedule. */
export async function openPageWorld() {
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
  const { json: typed } = typedIn(() => site.folder);
  await typed('schedule apply --yes');
  await typed('backup create free');
  await typed('release create transport');
  const { runId } = await typed<{ runId: string }>('sync free');
  site.editSource();
  const asks = ['sync', 'asks', '--full', '--no-wait', '--reason', hostile.markup];
  const { runId: waiting } = await typed<{ runId: string }>(...asks);
  await site.waiting(site.temporal.client.workflow.getHandle(waiting));
  return {
    site,
    server: site.server,
    /** Of the run that has ended. */
    runId,
    /** Of the run that waits for an approval, and overwrites. */
    waiting,
    /** What a command says as JSON. */
    typed,
    /** Addresses of every page. */
    pages: [
      ...['/', '/runs', '/runs?status=waiting', '/pipelines', '/pipelines/transport', '/backups'],
      ...['/items', `/items/${items[0]?.id}`],
      ...['/backups/free', '/coverage', '/schedules', '/audit', `/runs/${runId}`, `/runs/${runId}/events`],
      ...[`/runs/${waiting}`, '/runs/nothing-like-it', '/api'],
    ],
    close: () => site.close(),
  };
}

export type PageWorld = Awaited<ReturnType<typeof openPageWorld>>;
