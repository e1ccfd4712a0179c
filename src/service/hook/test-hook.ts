import { randomUUID } from 'node:crypto';
import type { Config, HookConfig, NotifyConfig } from '../../config/config';
import { pageAddress } from '../../config/page-address';
import { signatureOf } from '../../domain/hook/portal-webhooks';
import { signedHeaders, webhookId } from '../../domain/hook/signatures';
import { noteDelivery } from '../../domain/notify/deliveries';
import { testMessage } from '../../domain/notify/message';
import { notifyReceiver } from '../../domain/notify/receivers';
import { readKey } from '../../secrets/secret';
import type { Store } from '../../store/store';

/** Sends one test message. Returns why it was not accepted. */
export async function testReceiver(store: Store, receiver: NotifyConfig): Promise<string | undefined> {
  const message = testMessage(randomUUID());
  const failed = await notifyReceiver(receiver, message);
  await noteDelivery(store, receiver.name, message.id, {
    event: 'test',
    runId: message.runId,
    attempts: 1,
    at: new Date().toISOString(),
    status: failed ? 'failed' : 'delivered',
    ...(failed && { problem: failed.problem }),
  });
  return failed?.problem;
}

/** A shell command that calls a hook, signed with its first secret; valid for five minutes. */
export async function signedCall(config: Config, hook: HookConfig): Promise<string> {
  const { serve } = config;
  const base = pageAddress(serve) ?? `http://${serve.address}`;
  const { headers, body } = await signedRequest(config, hook);
  const lines = Object.entries({ 'content-type': 'application/json', ...headers });
  return [
    `curl --fail-with-body -sS '${base}/hooks/${hook.name}'`,
    ...lines.map(([header, value]) => `-H '${header}: ${value}'`),
    `--data-binary '${body}'`,
  ].join(' ');
}

interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function signedRequest(
  { routes }: Config,
  { secret: secrets, starts }: HookConfig,
): Promise<SignedRequest> {
  const [secret] = secrets;
  if (!('portal' in starts) || secret === undefined) {
    const body = '{}';
    return { headers: await signedHeaders(secrets.slice(0, 1), webhookId(randomUUID()), body), body };
  }
  const [group = 'GROUP'] = starts.routes.flatMap((name) => routes.get(name)?.source.group ?? []);
  const when = Date.now();
  const event = { when, operation: 'update', source: 'group', id: group, properties: {} };
  const body = JSON.stringify({ info: { webhookId: `test-${randomUUID()}`, when }, events: [event] });
  const key = await readKey(secret, 'secret of a hook');
  return { headers: { 'x-esriHook-Signature': signatureOf(key, body) }, body };
}
