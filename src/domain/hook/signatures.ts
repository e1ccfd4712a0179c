import { randomBytes } from 'node:crypto';
import { hashOfText } from '../snapshot/hashing';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { PortolanError } from '../../model/errors/errors';
import { KEY_LENGTH_MIN, type Secret } from '../../secrets/secret';

/** Minimum key length of a `whsec_` secret. @format bytes */
const KEY_BYTES_MIN = 24;

/** Headers of a signed message. @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
interface SignedHeaders extends Record<string, string> {
  readonly 'webhook-id': string;
  /** Seconds since the epoch. */
  readonly 'webhook-timestamp': string;
  /** One signature per secret, separated by spaces. */
  readonly 'webhook-signature': string;
}

/**
 * The ID of a message for all attempts, without dots, which separate the signed parts.
 * @param message of the message, which may have any letters
 */
export const webhookId = (message: string): string => `msg_${hashOfText(message).slice(0, 32)}`;

/** Signs a body with each secret. Throws SECRET_UNREADABLE, and CONFIG_INVALID for an invalid one. */
export async function signedHeaders(
  secrets: readonly Secret[],
  id: string,
  body: string,
  at = new Date(),
): Promise<SignedHeaders> {
  const keys = await Promise.all(secrets.map(openKey));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': keys.map((key) => key.sign(id, at, body)).join(' '),
  };
}

/** Why a message is refused, for the server's log. */
type Forged = 'not signed' | 'signed too long ago, or in the future' | 'signature does not match';

/** Compared with if there is no secret, so that the time is equal. */
const nobodys = new Webhook(randomBytes(KEY_BYTES_MIN), { format: 'raw' });

const headerShapes = {
  'webhook-id': /^[\x21-\x7e]{1,200}$/,
  'webhook-timestamp': /^\d{1,12}$/,
  'webhook-signature': /^[\x20-\x7e]{1,2000}$/,
} as const;

/**
 * Why a body's signature is invalid or not within five minutes of now; undefined if it is valid. Throws as
 * `signedHeaders` does.
 * @param secrets none where nobody has one: it is looked at all the same
 */
export async function whyForged(
  secrets: readonly Secret[],
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
): Promise<Forged | undefined> {
  const keys = secrets.length === 0 ? [nobodys] : await Promise.all(secrets.map(openKey));
  const given: Record<string, string> = {};
  for (const [name, shape] of Object.entries(headerShapes)) {
    const value = headers[name];
    if (typeof value !== 'string' || !shape.test(value)) return 'not signed';
    given[name] = value;
  }
  // Checks all, in constant time.
  const answers = keys.map((key): Forged | undefined => {
    try {
      key.verify(body, given, { jsonParse: false });
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof WebhookVerificationError)) throw thrown;
      return /timestamp/.test(thrown.message)
        ? 'signed too long ago, or in the future'
        : 'signature does not match';
    }
  });
  return answers.includes(undefined) ? undefined : answers[0];
}

/**
 * A secret in the form of the specification, `whsec_` and base64, or any other text, whose characters are the key.
 */
async function openKey(secret: Secret): Promise<Webhook> {
  const text = await secret.read();
  if (!text.startsWith('whsec_')) {
    if (text.length >= KEY_LENGTH_MIN) return new Webhook(Buffer.from(text), { format: 'raw' });
    throw unusableSecretError(secret, `has ${text.length} characters; at least ${KEY_LENGTH_MIN} are needed`);
  }
  const key = Buffer.from(text.slice('whsec_'.length), 'base64');
  if (key.length < KEY_BYTES_MIN || key.toString('base64') !== text.slice('whsec_'.length))
    throw unusableSecretError(
      secret,
      `is not whsec_ followed by the base64 of at least ${KEY_BYTES_MIN} bytes`,
    );
  return new Webhook(key, { format: 'raw' });
}

const unusableSecretError = (secret: Secret, what: string): PortolanError =>
  new PortolanError('CONFIG_INVALID', `The secret of a hook, from ${secret.source}, ${what}.`, {
    hint: 'Create one: echo "whsec_$(openssl rand -base64 32)"',
  });
