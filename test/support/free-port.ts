import { freePorts } from '../../src/temporal/dev-server/address';

/** A port that nobody listens on. */
export async function freeServerPort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
