import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import { failureConverter as encoded } from './encoded-failures';

declare global {
  /** What a worker writes before the workflow code that encrypts. */
  var portolanEncodesFailures: boolean | undefined;
}

const plain = new DefaultFailureConverter();

const chosen = (): FailureConverter => (globalThis.portolanEncodesFailures === true ? encoded : plain);

/**
 * Failure converter of workflow code. All workers share one bundle, so it decides at each failure whether to encode.
 * Replay compares none of it.
 */
export const failureConverter: FailureConverter = {
  errorToFailure: (...given) => chosen().errorToFailure(...given),
  failureToError: (...given) => chosen().failureToError(...given),
};
