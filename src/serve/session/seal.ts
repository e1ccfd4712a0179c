import { createHmac, timingSafeEqual } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { ZodType } from 'zod';
import type { Config } from '../../config/config';
import { openControl } from '../../domain/control/control';

/** What something is sealed for: it is good for nothing else. */
export type SealedFor = 'cookie' | 'bearer' | 'sign-in' | 'code';

/**
 * SealedTokens what others carry for this server, and reads it again: encrypted and authentic, up to a time, by keys that are
 * derived from the control key, so that any server with the same one reads it and none has to keep anything.
 */
export class SealedTokens {
  private constructor(
    private readonly sealing: Buffer,
    private readonly marking: Buffer,
  ) {}

  /** Throws SECRET_UNREADABLE, and CONFIG_INVALID where the control key is too short. */
  static async open(config: Config): Promise<SealedTokens> {
    const control = await openControl(config);
    const { namespace, taskQueue } = config.temporal;
    // Of two configurations that share a key, what is sealed by one is nothing to the other.
    const scope = JSON.stringify([namespace, taskQueue]);
    return new SealedTokens(control.derive('sessions', scope), control.derive('forms', scope));
  }

  async seal(what: SealedFor, content: object, until: Date): Promise<string> {
    return await new EncryptJWT({ content })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(what)
      .setExpirationTime(Math.floor(until.getTime() / 1000))
      .encrypt(this.sealing);
  }

  /** undefined where it is over, sealed for something else or by another key, or was altered. */
  async unseal<T>(
    what: SealedFor,
    sealed: string,
    schema: ZodType<T>,
  ): Promise<{ readonly content: T; readonly until: Date } | undefined> {
    try {
      const { payload } = await jwtDecrypt(sealed, this.sealing, {
        audience: what,
        requiredClaims: ['exp'],
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      const read = schema.safeParse(payload['content']);
      return read.success ? { content: read.data, until: new Date((payload.exp ?? 0) * 1000) } : undefined;
    } catch (thrown) {
      if (thrown instanceof errors.JOSEError) return undefined;
      throw thrown;
    }
  }

  /** What a form of a page has to bring along, by whom the page was shown to. */
  formToken(whose: string): string {
    return createHmac('sha256', this.marking).update(whose).digest('base64url');
  }

  isFormToken(whose: string, given: unknown): boolean {
    const own = Buffer.from(this.formToken(whose));
    const sent = Buffer.from(typeof given === 'string' ? given : '');
    return sent.length === own.length && timingSafeEqual(sent, own);
  }
}
