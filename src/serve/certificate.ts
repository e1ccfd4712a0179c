import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import type { FastifyBaseLogger } from 'fastify';
import type { ServeConfig } from '../config/config';
import { PortolanError } from '../model/errors/errors';

type Tls = NonNullable<ServeConfig['tls']>;

/** @format milliseconds */
const LOOK_EVERY_MS = 60_000;

/** What `serve.tls` names. Throws `SECRET_UNREADABLE`. */
export async function readCertificate({ cert, key }: Tls): Promise<{ cert: Buffer; key: Buffer }> {
  const read = (setting: string, file: string): Promise<Buffer> =>
    readFile(file).catch((thrown: NodeJS.ErrnoException) => {
      throw new PortolanError(
        'SECRET_UNREADABLE',
        `serve.tls.${setting}, file ${file}, cannot be read (${thrown.code}).`,
      );
    });
  return { cert: await read('cert', cert), key: await read('key', key) };
}

/**
 * Answers with a renewed certificate as soon as its files are there. Between one file and the other they do not fit
 * together: until both are new, the earlier ones are used.
 *
 * @returns what ends it
 */
export function renewCertificate(
  server: Pick<Server, 'setSecureContext'>,
  tls: Tls,
  logger: Pick<FastifyBaseLogger, 'info' | 'warn'>,
  everyMs = LOOK_EVERY_MS,
): () => void {
  const renew = async (): Promise<void> => {
    try {
      server.setSecureContext(await readCertificate(tls));
      logger.info('reloaded the certificate of serve.tls');
    } catch (thrown) {
      logger.warn(
        { err: thrown },
        'the new certificate of serve.tls cannot be used; keeping the previous one',
      );
    }
  };
  const changed = (): void => void renew();
  const files = [tls.cert, tls.key];
  for (const file of files) watchFile(file, { interval: everyMs, persistent: false }, changed);
  return () => {
    for (const file of files) unwatchFile(file, changed);
  };
}
