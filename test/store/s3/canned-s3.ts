import http from 'node:http';
import { close, listen } from '../../support/listening';

export interface Canned {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Breaks the connection after so many bytes of the body. */
  cutAfter?: number;
}

export interface Asked {
  method: string;
  /** With its query. */
  url: string;
  headers: http.IncomingHttpHeaders;
}

/** An S3 server that says what a test wants it to say. */
export class CannedS3 {
  asked: Asked[] = [];

  private constructor(
    private server: http.Server,
    readonly endpoint: string,
  ) {}

  static async start(answer: (asked: Asked) => Canned | Promise<Canned>) {
    const server = http.createServer((request, response) => {
      const asked = { method: request.method ?? '', url: request.url ?? '', headers: request.headers };
      canned.asked.push(asked);
      const respond = async () => {
        const { status, headers, body = '', cutAfter } = await answer(asked);
        const bytes = Buffer.from(body);
        response.writeHead(status, { 'content-length': bytes.length, ...headers });
        if (cutAfter === undefined || asked.method === 'HEAD') return response.end(bytes);
        return response.write(bytes.subarray(0, cutAfter), () => response.destroy());
      };
      request.resume().on('end', () => void respond());
    });
    const canned = new CannedS3(server, `http://127.0.0.1:${await listen(server)}`);
    return canned;
  }

  stop = () => close(this.server);
}

/** An error as S3 words it; all that it says beyond the code stays between it and us. */
export const fault = (status: number, code: string): Canned => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>planted message</Message><AWSAccessKeyId>planted-id</AWSAccessKeyId><StringToSign>planted-string</StringToSign></Error>`,
});
