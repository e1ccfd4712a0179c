import {
  DefaultFailureConverter,
  type PayloadConverter,
  type SerializationContext,
} from '@temporalio/common';

type Failure = ReturnType<DefaultFailureConverter['errorToFailure']>;

/** Placeholder of a message; the Web UI knows it. */
const PLACEHOLDER = 'Encoded failure';

/**
 * Puts message and stack trace of failures where the codec encrypts them. The SDK's own option writes the placeholder
 * into the failure that an error came with, so that of an error which is told twice the message would be lost; and
 * leaves in clear what had caused one that came in clear.
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
