import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { ServerAddress } from './server-address';
import { PortolanError } from '../model/errors/errors';
import { keepSignIn, type SignedIn } from './credentials';
import { ServerLine } from './server-connection';

/** Time to sign in at the portal. @format milliseconds */
const SIGN_IN_MS = 10 * 60_000;
/** A sign-in code is sealed, and longer than a key. @format characters */
const CODE_MAX = 4_096;

const session = z.object({
  token: z.string().min(1).max(8_192),
  who: z.string().max(400),
  expiresAt: z.iso.datetime(),
});

/**
 * Signs a person in to a server in a browser, and saves the token it issues. The browser returns to a port of this
 * machine with a one-time code, valid for a minute. The verifier leaves this process only to the server. Throws
 * `USAGE` if the server has no sign-in, and `TIMEOUT`.
 * @param open is given the address at which somebody signs in
 */
export async function signIn(
  server: ServerAddress,
  open: (address: string) => Promise<void>,
): Promise<SignedIn> {
  const line = new ServerLine(server);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const back = new WayBack();
  try {
    const port = await back.listen();
    const path = `/sign-in?cli=${port}&challenge=${challenge}`;
    if ((await line.statusOf(path)) === 404)
      throw new PortolanError('USAGE', `${server.url} has no sign-in; it accepts only keys.`, {
        hint: 'Set PORTOLAN_KEY to a key of that server, created there with portolan serve key.',
      });
    await open(`${server.url}${path}`);
    const signedIn = await back.untilSignedIn(
      async (code) => await line.ask('/sign-in/token', session, { body: { code, verifier } }),
    );
    await keepSignIn(server, signedIn);
    return signedIn;
  } finally {
    back.close();
    await line.close();
  }
}

/** The port of this machine to which the browser returns, open during the sign-in. */
class WayBack {
  private readonly server = createServer();
  private host = '';

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const { port } = this.server.address() as AddressInfo;
    this.host = `127.0.0.1:${port}`;
    return port;
  }

  /** Tries codes until one is valid: other web pages may send invalid ones, which the server refuses. */
  async untilSignedIn(exchange: (code: string) => Promise<SignedIn>): Promise<SignedIn> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<SignedIn>((resolve, reject) => {
        timer = setTimeout(() => reject(tooLate()), SIGN_IN_MS);
        this.server.on('request', (request, response) => {
          const code = this.codeOf(request);
          if (code === undefined) return answer(response, 404, 'Not found.');
          exchange(code).then(
            (signedIn) => {
              const shown = (): void => resolve(signedIn);
              answer(response, 200, 'You are signed in. You can close this page.', shown);
            },
            (thrown: unknown) => {
              const error = PortolanError.from(thrown);
              const shown = (): void => {
                if (error.facts['title'] !== 'SIGN_IN_OVER') reject(error);
              };
              answer(response, 400, 'Not signed in. See the terminal.', shown);
            },
          );
        });
      });
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.server.close();
    this.server.closeIdleConnections();
  }

  private codeOf({ method, url = '/', headers }: IncomingMessage): string | undefined {
    if (method !== 'GET' || headers.host !== this.host || !URL.canParse(url, 'http://localhost'))
      return undefined;
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const code = searchParams.get('code');
    return pathname === '/' && code !== null && code.length <= CODE_MAX ? code : undefined;
  }
}

/** @param shown is called once it was sent, or nobody takes it any more */
function answer(response: ServerResponse, status: number, words: string, shown?: () => void): void {
  if (shown) response.once('close', shown);
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`${words}\n`);
}

const tooLate = (): PortolanError =>
  new PortolanError('TIMEOUT', 'No one signed in within ten minutes.', {
    hint: 'Repeat: portolan login',
  });
