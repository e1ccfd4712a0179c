import { createHmac } from 'node:crypto';
import { missing } from '../errors';
import { administrator, writable, type Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { write, type Route } from '../http/router';
import { checkPortalId } from './portals';

/** Webhooks of the organization (docs/reference/portal-interface.md, "Webhooks"). */
export const webhookRoutes: readonly Route[] = [
  write('webhook.create', '/portal/sharing/rest/portals/:portalId/webhooks/createWebhook', create),
];

function create(call: Call): Reply {
  writable(call);
  administrator(call);
  checkPortalId(call, call.path['portalId'] ?? '');
  const { params, world } = call;
  const [name, url, secret] = ['name', 'url', 'secret'].map((field) => params.text(field));
  if (name === undefined) throw missing('name');
  if (url === undefined) throw missing('url');
  const id = world.newId();
  world.webhooks.put(id, { id, name, url, secret });
  return json({ success: true, webhookId: id });
}

/** Events of requests, by operation. */
const operations: Readonly<Record<string, string>> = {
  'item.update': 'update',
  'item.delete': 'delete',
  'item.share': 'share',
  'item.unshare': 'unshare',
};

/** Tells webhooks of a change, once. Receivers that do not answer miss it. */
export function sendEvents({ world, path, params, user }: Call, request: string): void {
  const operation = operations[request];
  const { itemId: id } = path;
  if (operation === undefined || id === undefined) return;
  const when = Date.now();
  const groups = params.list('groups');
  const properties = operation === 'share' && groups ? { sharedToGroups: groups } : {};
  const by = { username: user?.username, userId: user?.username };
  for (const hook of world.webhooks.values()) {
    const info = { webhookName: hook.name, webhookId: hook.id, portalURL: `${world.portalUrl}/`, when };
    const body = JSON.stringify({
      info,
      events: [{ ...by, when, operation, source: 'item', id, properties }],
    });
    const mac = createHmac('sha256', hook.secret ?? '')
      .update(body)
      .digest('base64');
    const headers = new Headers({ 'content-type': 'application/json' });
    if (hook.secret !== undefined) headers.set('x-esriHook-Signature', `sha256=${mac}`);
    fetch(hook.url, { method: 'POST', headers, body }).catch(() => undefined);
  }
}
