import { createHmac, hkdfSync, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import type { Identity, Proof, ReceivedAnswer, ReceivedStart, Signed } from '../../model/run/signature';
import { wholeOfPart, scheduledRunIdBaseOf } from '../../model/run/run-id';
import { readKey } from '../../secrets/secret';

/** Tolerated clock difference. @format milliseconds */
export const AHEAD_MS = 24 * 3_600_000;

type Proven = Required<Signed>;

/** Purpose of a signature; it is valid for nothing else. */
type Subject = readonly ['start' | 'part' | 'schedule' | 'answer', name: string, workflowId: string];

/** How long a start or decision waiting for a worker stays valid. */
const MAX_AGE_MS = 7 * 86_400_000;

/**
 * The key shared by starters, approvers and workers. It signs the message's JSON in its key order, which Temporal
 * preserves.
 */
export class Control {
  /**
   * @param key at least 32 characters
   * @param scope namespace and queue. A signature for one scope is invalid in another, even with the same key.
   */
  constructor(
    private readonly key: Buffer,
    private readonly scope: readonly string[] = [],
  ) {}

  /** A key for another use. @returns 32 bytes */
  derive(use: string, salt = ''): Buffer {
    return Buffer.from(hkdfSync('sha256', this.key, salt, `portolan ${use}`, 32));
  }

  /** Signs the input for one start of a workflow type under an ID. */
  signStart<Input extends object>(
    type: string,
    workflowId: string,
    input: Input,
    identity: Identity = 'claimed',
  ): Input & Proven {
    return this.sign(['start', type, workflowId], input, newClaim(identity));
  }

  /** Signs the input of a child run: a start that was signed otherwise is none of a child run. */
  signPart(type: string, workflowId: string, input: object, identity: Identity): Proof {
    return this.sign(['part', type, workflowId], input, newClaim(identity)).proof;
  }

  /** Signs the input for all starts of a schedule. @param base of their ids */
  signSchedule<Input extends object>(type: string, base: string, input: Input): Input & Proven {
    return this.sign(['schedule', type, base], input, { identity: 'claimed' });
  }

  signAnswer<Message extends object>(
    name: string,
    workflowId: string,
    message: Message,
    identity: Identity = 'claimed',
  ): Message & Proven {
    return this.sign(['answer', name, workflowId], message, newClaim(identity));
  }

  /**
   * Throws NOT_AUTHENTIC if a start was not signed for this workflow, or is too old.
   * @param isKnown it was let in before, and is not asked for its age
   */
  verifyStart(
    { workflowType, workflowId, input }: Omit<ReceivedStart, 'execution'>,
    { isKnown = false } = {},
  ): void {
    const base = input.proof?.nonce === undefined ? scheduledRunIdBaseOf(workflowId) : undefined;
    const kind = wholeOfPart(workflowId) === undefined ? 'start' : 'part';
    const subject: Subject =
      base === undefined ? [kind, workflowType, workflowId] : ['schedule', workflowType, base];
    this.verify(subject, input, 'start', isKnown || base !== undefined);
  }

  /** Throws NOT_AUTHENTIC if a decision was not signed for this workflow, or is too old. */
  verifyAnswer({ name, workflowId, message }: ReceivedAnswer, { isKnown = false } = {}): void {
    this.verify(['answer', name, workflowId], message, `${name} message`, isKnown);
  }

  private sign<Message extends object>(
    subject: Subject,
    message: Message,
    claim: Omit<Proof, 'mac'>,
  ): Message & Proven {
    const { proof: _earlier, ...bare } = message as Message & Signed;
    return { ...message, proof: { ...claim, mac: this.macOf(subject, bare, claim) } };
  }

  private verify(subject: Subject, message: Signed, what: string, isAgeless: boolean): void {
    // Untrusted input.
    const { proof, ...bare } = Object(message) as Signed;
    if (typeof proof !== 'object' || proof === null) throw notAuthentic(`the ${what} is not signed`);
    const { mac, ...claim } = proof;
    const given = Buffer.from(String(mac), 'hex');
    const own = Buffer.from(this.macOf(subject, bare, claim), 'hex');
    if (given.length !== own.length || !timingSafeEqual(given, own))
      throw notAuthentic(
        `the ${what} was signed with another control key or for another run, or was modified`,
      );
    if (isAgeless) return;
    const ageMs = Date.now() - (claim.at ?? 0);
    if (ageMs > MAX_AGE_MS) throw notAuthentic(`the ${what} was signed at ${timeOf(claim.at)}, too long ago`);
    if (ageMs < -AHEAD_MS) throw notAuthentic(`the ${what} was signed at ${timeOf(claim.at)}, in the future`);
  }

  private macOf(subject: Subject, message: object, { at, nonce, identity }: Omit<Proof, 'mac'>): string {
    return createHmac('sha256', this.derive('starts and answers'))
      .update(JSON.stringify([this.scope, subject, at ?? null, nonce ?? null, identity, message]))
      .digest('hex');
  }
}

/** The control key of a configuration. Throws SECRET_UNREADABLE, and CONFIG_INVALID if it is too short. */
export async function openControl({
  control,
  temporal: { namespace, taskQueue },
}: Pick<Config, 'control' | 'temporal'>): Promise<Control> {
  return new Control(await readKey(control.key, 'control key'), [namespace, taskQueue]);
}

const newClaim = (identity: Identity): Omit<Proof, 'mac'> => ({
  identity,
  at: Date.now(),
  nonce: randomUUID(),
});

export const notAuthentic = (saw: string): PortolanError => new PortolanError('NOT_AUTHENTIC', saw);

const timeOf = (at: number | undefined): string => new Date(at ?? 0).toISOString();
