import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import { failureConverter as encoded } from './encoded-failures';

declare global {
  /** What a worker writes before the workflow code that encrypts. */
  var portolanEncodesFailures: boolean | undefined;
}

const plain = new DefaultFailureConverter();

const chosen = (): FailureConverter => (globalThis.portolanEncodesFailures === true ? encoded : plain);

/**
 * That of workflow code, which is bundled once for all workers, and asks at each failure. What it makes of a failure
 * stands in no command that a replay compares.
 */
export const failureConverter: FailureConverter = {
  errorToFailure: (...given) => chosen().errorToFailure(...given),
  failureToError: (...given) => chosen().failureToError(...given),
};
