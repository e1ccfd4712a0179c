import { PortolanError } from '../../src/model/errors/errors';

/** The error of ours that a call ends with; whatever else it throws is thrown on. */
export async function errorOf(call: Promise<unknown>): Promise<PortolanError> {
  try {
    await call;
  } catch (thrown) {
    if (thrown instanceof PortolanError) return thrown;
    throw thrown;
  }
  throw new Error('It did not fail.');
}
