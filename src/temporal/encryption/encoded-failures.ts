import {
  DefaultFailureConverter,
  type PayloadConverter,
  type SerializationContext,
} from '@temporalio/common';

type Failure = ReturnType<DefaultFailureConverter['errorToFailure']>;

/** Placeholder of a message; the Web UI knows it. */
const PLACEHOLDER = 'Encoded failure';

/**
 * Moves message and stack trace into the encrypted payload. The SDK's option overwrites the original message, so an
 * error reported twice loses it, and leaves causes that came in clear text unencoded.
 */
class EncodedFailures extends DefaultFailureConverter {
  override errorToFailure(
    error: unknown,
    payloadConverter: PayloadConverter,
    context?: SerializationContext,
  ): Failure {
    const encoded = (failure: Failure): Failure => {
      const { message, stackTrace, cause } = failure;
      const isEncoded = message === PLACEHOLDER && failure.encodedAttributes != null;
      return {
        ...failure,
        ...(cause && { cause: encoded(cause) }),
        ...(!isEncoded && {
          message: PLACEHOLDER,
          stackTrace: '',
          encodedAttributes: payloadConverter.toPayload({ message, stack_trace: stackTrace }, context),
        }),
      };
    };
    return encoded(this.errorToFailureInner(error, payloadConverter, context));
  }
}

/** Under the name by which Temporal loads it. */
export const failureConverter = new EncodedFailures();
