import { randomUUID } from 'node:crypto';
import type { Config, HookConfig, NotifyConfig } from '../../config/config';
import { pageAddress } from '../../config/page-address';
import { signedHeaders, webhookId } from '../../domain/hook/signatures';
import { noteDelivery } from '../../domain/notify/deliveries';
import { testMessage } from '../../domain/notify/message';
import { notifyReceiver } from '../../domain/notify/receivers';
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
export async function signedCall({ serve }: Config, { name, secret: secrets }: HookConfig): Promise<string> {
  const base = pageAddress(serve) ?? `http://${serve.address}`;
  const body = '{}';
  const headers = await signedHeaders(secrets.slice(0, 1), webhookId(randomUUID()), body);
  const lines = Object.entries({ 'content-type': 'application/json', ...headers });
  return [
    `curl --fail-with-body -sS '${base}/hooks/${name}'`,
    ...lines.map(([header, value]) => `-H '${header}: ${value}'`),
    `--data-binary '${body}'`,
  ].join(' ');
}
