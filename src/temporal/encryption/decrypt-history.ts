import type { Client } from '@temporalio/client';
import type { DefaultFailureConverter, Payload } from '@temporalio/common';
import {
  decodeFailure,
  decodeFromPayloadsAtIndex,
  decodeOptionalSingle,
} from '@temporalio/common/lib/internal-non-workflow';

/** A failure as Temporal holds it. */
type RawFailure = ReturnType<DefaultFailureConverter['errorToFailure']>;

/** Decodes data from raw Temporal responses. */
export class ClearWords {
  constructor(private readonly client: Pick<Client, 'options'>) {}

  private get converter() {
    return this.client.options.loadedDataConverter;
  }

  /**
   * Decodes the first payload; undefined if there is none.
   * @throws ENCRYPTION_KEY_MISSING, PAYLOAD_ALTERED, or the SDK's error for unreadable payloads
   */
  async first(payloads: readonly Payload[] | null | undefined): Promise<unknown> {
    const [payload] = payloads ?? [];
    if (payload === undefined) return undefined;
    return await decodeFromPayloadsAtIndex<unknown>(this.converter, 0, [payload]);
  }

  /** Decrypts a payload. Rejects as `first` does. */
  async decoded(payload: Payload | null | undefined): Promise<Payload | undefined> {
    return (await decodeOptionalSingle(this.converter.payloadCodecs, payload)) ?? undefined;
  }

  /** A failure with its message, and those of its causes. Rejects as `first` does. */
  async failure(raw: RawFailure | null | undefined): Promise<RawFailure | undefined> {
    if (!raw) return undefined;
    return this.withMessages(await decodeFailure(this.converter.payloadCodecs, raw));
  }

  private withMessages(failure: RawFailure): RawFailure {
    const { encodedAttributes, cause } = failure;
    const said = encodedAttributes && this.converter.payloadConverter.fromPayload<unknown>(encodedAttributes);
    const { message } = (said ?? {}) as { message?: unknown };
    return {
      ...failure,
      ...(typeof message === 'string' && { message }),
      ...(cause && { cause: this.withMessages(cause) }),
    };
  }
}
