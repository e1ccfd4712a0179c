import { randomUUID } from 'node:crypto';
import type { Config, HookConfig, NotifyConfig } from '../../config/config';
import { pageAddress } from '../../config/page-address';
import { signedHeaders, webhookId } from '../../domain/hook/signatures';
import { noteDelivery } from '../../domain/notify/deliveries';
import { testMessage } from '../../domain/notify/message';
import { notifyReceiver } from '../../domain/notify/receivers';
import { PortolanError } from '../../model/errors/errors';
import type { Store } from '../../store/store';
import type { HookTest } from './hook-view';

/** The hook or receiver of a name. Throws `NOT_FOUND`. */
export function findHook(
  { hooks, notify }: Pick<Config, 'hooks' | 'notify'>,
  name: string,
): HookConfig | NotifyConfig {
  const found = hooks.get(name) ?? notify.find((each) => each.name === name);
  if (found) return found;
  const names = [...hooks.keys(), ...notify.map((each) => each.name)];
  throw new PortolanError('NOT_FOUND', `portolan.yaml has no hook "${name}".`, {
    hint: `Defined hooks: ${names.join(', ') || 'none'}`,
  });
}

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

/**
 * A shell command that calls a hook, signed with its first secret; valid for five minutes.
 * @param base of the server
 */
export async function signedCall({ name, secret: secrets }: HookConfig, base: string): Promise<string> {
  const body = '{}';
  const headers = await signedHeaders(secrets.slice(0, 1), webhookId(randomUUID()), body);
  const lines = Object.entries({ 'content-type': 'application/json', ...headers });
  return [
    `curl --fail-with-body -sS '${base}/hooks/${name}'`,
    ...lines.map(([header, value]) => `-H '${header}: ${value}'`),
    `--data-binary '${body}'`,
  ].join(' ');
}

/** Tests a receiver, or returns a signed call of a hook. Throws `NOT_FOUND`. */
export async function testHook(config: Config, store: Store, name: string): Promise<HookTest> {
  const found = findHook(config, name);
  if ('starts' in found) {
    const base = pageAddress(config.serve) ?? `http://${config.serve.address}`;
    return { name, call: await signedCall(found, base) };
  }
  const problem = await testReceiver(store, found);
  return { name, delivered: problem === undefined, problem };
}
