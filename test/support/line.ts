import { connect, createServer, type Socket } from 'node:net';
import { freePorts } from '../../src/temporal/dev-server/address';

/** A way to a server that can be cut. */
export class Line {
  private readonly open = new Set<Socket>();
  private server = createServer();
  /** What the server has said through it. @format bytes */
  answered = 0;

  private constructor(
    private readonly to: { readonly host: string; readonly port: number },
    /** One that no connection of this machine is given while the line is cut. */
    private readonly port: number,
  ) {}

  static async to(address: string): Promise<Line> {
    const [host = '', port] = address.split(':');
    const [own = 0] = await freePorts(1);
    const line = new Line({ host, port: Number(port) }, own);
    await line.mend();
    return line;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async mend(): Promise<void> {
    this.server = createServer((near) => {
      const far = connect(this.to);
      far.on('data', ({ length }: Buffer) => (this.answered += length));
      for (const socket of [near, far]) {
        this.open.add(socket);
        socket.once('close', () => this.open.delete(socket)).on('error', () => socket.destroy());
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve, reject) =>
      this.server.once('error', reject).listen(this.port, '127.0.0.1', resolve),
    );
  }

  cut(): void {
    this.server.close();
    for (const socket of this.open) socket.destroy();
  }
}
