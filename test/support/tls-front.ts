import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import type { Certificate } from './authority';
import { close, listen, portOf } from './listening';

export interface FrontOptions {
  /** What it shows to whoever connects. */
  readonly certificate: Certificate;
  /** Whose certificates clients have to show, in PEM. @default nobody has to show any */
  readonly clients?: string;
  /** What each call has to bring, as Temporal's hosts ask for it. @default nothing */
  readonly apiKey?: string;
  /** Refuses what a namespace at Temporal Cloud refuses: whatever only an operator of a server may. @default false */
  readonly isCloud?: boolean;
}

/** A call that came, whatever became of it. */
export interface SeenCall {
  /** Its method without the service: `CountWorkflowExecutions`. */
  readonly method: string;
  /** Of a command, `serve` or a worker's own questions, or of a worker's core. */
  readonly by: 'client' | 'core';
  readonly headers: http2.IncomingHttpHeaders;
}

const UNAUTHENTICATED = 16;
const PERMISSION_DENIED = 7;

/**
 * A front as it stands before Temporal servers of others: it takes TLS only, may ask for a certificate and a key, and
 * hands on each call to a server that takes neither. It listens on this machine alone.
 */
export class TlsFront {
  readonly calls: SeenCall[] = [];
  private readonly sessions = new Set<http2.Http2Session>();

  private constructor(
    private readonly server: http2.Http2SecureServer,
    private readonly certificate: Certificate,
    /** The one that is taken from now on; another one than before is refused. */
    public apiKey: string | undefined,
    private readonly isCloud: boolean,
  ) {}

  /** @param upstream `host:port` of the server behind it */
  static async start(upstream: string, options: FrontOptions): Promise<TlsFront> {
    const { certificate, clients, apiKey, isCloud = false } = options;
    const server = http2.createSecureServer({
      ...contextOf(certificate, clients),
      requestCert: clients !== undefined,
    });
    const front = new TlsFront(server, certificate, apiKey, isCloud);
    server.on('session', (session) => front.serve(session, http2.connect(`http://${upstream}`)));
    // Whoever is refused a connection is told so by TLS.
    server.on('sessionError', () => undefined);
    await listen(server);
    return front;
  }

  get port(): number {
    return portOf(this.server);
  }

  /** By the name that its certificate has. */
  get address(): string {
    return `localhost:${this.port}`;
  }

  /** What has come of these methods, or of all. */
  seen(by: SeenCall['by']): SeenCall[] {
    return this.calls.filter((call) => call.by === by);
  }

  /** From now on it takes certificates of another authority, in PEM, where it asks for any. */
  trust(clients: string): void {
    this.server.setSecureContext(contextOf(this.certificate, clients));
  }

  /** Ends what is open, polls of workers among it: whoever goes on connects anew. */
  cut(): void {
    for (const session of this.sessions) session.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await close(this.server);
  }

  private serve(session: http2.Http2Session, behind: http2.ClientHttp2Session): void {
    for (const each of [session, behind]) {
      this.sessions.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        this.sessions.delete(each);
        session.destroy();
        behind.destroy();
      });
    }
    session.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
      stream.on('error', () => undefined);
      const [service = '', method = ''] = (headers[':path'] ?? '').slice(1).split('/');
      const by = headers['user-agent']?.startsWith('grpc-node-js') ? 'client' : 'core';
      this.calls.push({ method, by, headers });
      const refused = this.refusalOf(service, headers);
      if (refused) stream.respond({ ...grpc, ...refused }, { endStream: true });
      else handOn(stream, behind.request(headers));
    });
  }

  private refusalOf(service: string, { authorization }: http2.IncomingHttpHeaders) {
    if (this.apiKey !== undefined && authorization !== `Bearer ${this.apiKey}`)
      return { 'grpc-status': UNAUTHENTICATED, 'grpc-message': 'Request unauthorized.' };
    if (this.isCloud && service.endsWith('.OperatorService'))
      return { 'grpc-status': PERMISSION_DENIED, 'grpc-message': 'Request unauthorized.' };
    return undefined;
  }
}

const contextOf = ({ cert, key }: Certificate, clients: string | undefined) => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
  ...(clients !== undefined && { ca: readFileSync(clients) }),
});

const grpc = { ':status': 200, 'content-type': 'application/grpc' };

/** A call and its answer, with what comes behind the answer. */
function handOn(stream: http2.ServerHttp2Stream, request: http2.ClientHttp2Stream) {
  let trailers: http2.OutgoingHttpHeaders = {};
  stream.pipe(request);
  request.on('error', () => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR));
  request.on('response', (headers, flags) => {
    if (stream.destroyed) return;
    if ((flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0)
      return stream.respond(headers, { endStream: true });
    stream.respond(headers, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    request.pipe(stream);
  });
  request.on('trailers', (received) => (trailers = received));
  stream.on('aborted', () => request.close(http2.constants.NGHTTP2_CANCEL));
}
