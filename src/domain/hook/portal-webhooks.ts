import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { readKey, type Secret } from '../../secrets/secret';

/** How old an event may be, or how far ahead the portal's clock. @format milliseconds */
export const EVENT_AGE_MAX_MS = 300_000;

const event = z.object({
  when: z.number().describe('milliseconds since the epoch'),
  operation: z.string().max(200),
  source: z.string().max(200),
  id: z.string().max(200),
  properties: z.record(z.string(), z.unknown()).nullish(),
});

/** Portals send a list of events; some describe one event at the top. */
const payload = z.union([
  z.object({
    info: z.object({ webhookId: z.string().max(200), when: z.number() }),
    events: z.array(event).min(1).max(1_000),
  }),
  event
    .extend({ webhookId: z.string().max(200) })
    .transform(({ webhookId, ...only }) => ({ info: { webhookId, when: only.when }, events: [only] })),
]);
type Payload = z.output<typeof payload>;

/** What a portal's webhook says has changed. */
export interface PortalCall {
  /** Identifies the events; a repeated call has the same ID. */
  readonly id: string;
  readonly groupIds: ReadonlySet<string>;
  /** Of an item that was edited, the event names no group. */
  readonly itemIds: ReadonlySet<string>;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The events of a portal's webhook, or why it is refused. Portals sign the payload in `x-esriHook-Signature`, or send
 * the secret itself in a header. Throws `SECRET_UNREADABLE`, and `CONFIG_INVALID` if a secret is too short.
 */
export async function readPortalCall(
  secrets: readonly Secret[],
  headers: Headers,
  body: string,
  now = Date.now(),
): Promise<PortalCall | { readonly refused: string }> {
  const keys = await Promise.all(secrets.map((secret) => readKey(secret, 'secret of a hook')));
  const form = /^payload=([^]*?)(?:&x-esriHook-Signature=([^&]*))?$/i.exec(body);
  const sent = form?.[1] ?? body;
  const texts = form ? [sent, decoded(sent)] : [sent];
  const signature = headers['x-esrihook-signature'] ?? form?.[2];
  if (signature !== undefined) {
    const given = typeof signature === 'string' ? decoded(signature, false) : '';
    const valid = keys.some((key) => texts.some((text) => isSame(given, signatureOf(key, text))));
    if (!valid) return { refused: 'signature does not match' };
  } else {
    const { secret } = headers;
    if (typeof secret !== 'string') return { refused: 'not signed' };
    if (!keys.some((key) => isSame(secret, key))) return { refused: 'secret does not match' };
  }
  const read = payload.safeParse(texts.map(parsed).find((each) => each !== undefined));
  if (!read.success) return { refused: 'is not the payload of a portal' };
  const { info, events } = read.data;
  if ([info, ...events].some(({ when }) => Math.abs(now - when) > EVENT_AGE_MAX_MS))
    return { refused: 'happened too long ago, or in the future' };
  const itemIds = new Set(events.flatMap(({ source, id }) => (source === 'item' ? [id] : [])));
  return { id: idOf(read.data), groupIds: new Set(events.flatMap(groupsOf)), itemIds };
}

/** What a portal writes into `x-esriHook-Signature`. */
export const signatureOf = (key: Buffer, text: string): string =>
  `sha256=${createHmac('sha256', key).update(text).digest('base64')}`;

/** The group itself, or the groups that the event of an item names. */
const groupsOf = ({ source, id, properties }: Payload['events'][number]): string[] => [
  ...(source === 'group' ? [id] : []),
  ...Object.values(properties ?? {})
    .flat()
    .filter((each) => typeof each === 'string'),
];

const idOf = ({ info, events }: Payload): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        info.webhookId,
        events.map(({ when, operation, source, id }) => [when, operation, source, id]),
      ]),
    )
    .digest('hex');

/** In constant time, whatever their lengths. */
const isSame = (one: string, other: string | Buffer): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();

/** @param isForm blanks are written as + */
function decoded(text: string, isForm = true): string {
  try {
    return decodeURIComponent(isForm ? text.replaceAll('+', ' ') : text);
  } catch {
    return text;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
