import { answersAt, freePorts } from '../../src/temporal/dev-server/address';

/** A Web UI listens this far above its server. */
const UI_ABOVE = 1_000;

/** A port for a Temporal server whose Web UI finds its own free, too. */
export async function freeServerPort(): Promise<number> {
  for (;;) {
    const [port = 0] = await freePorts(1);
    if (!(await answersAt({ host: '127.0.0.1', port: port + UI_ABOVE }))) return port;
  }
}
