import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { S3Objects } from './s3-objects';
import type { PartialFile } from '../store';

interface Upload {
  readonly body: PassThrough;
  readonly done: Promise<void>;
  readonly hasEnded: AbortSignal;
}

/** A file on its way into a bucket: one upload, which goes on after its source broke, but not in a later attempt. */
export class S3Partial implements PartialFile {
  readonly lasting = false;
  size = 0;
  private upload: Upload | undefined;

  constructor(
    private readonly objects: S3Objects,
    private readonly key: string,
  ) {}

  async restart(): Promise<void> {
    await this.close();
    this.size = 0;
  }

  async append(source: AsyncIterable<Uint8Array>): Promise<number> {
    const { body, done, hasEnded } = (this.upload ??= this.begin());
    for await (const chunk of source) {
      this.size += chunk.length;
      this.objects.requireFits(this.key, this.size);
      // An upload that ends before its body has failed.
      if (!body.write(chunk)) await once(body, 'drain', { signal: hasEnded }).catch(() => done);
    }
    return this.size;
  }

  async commit(): Promise<void> {
    const { body, done } = (this.upload ??= this.begin());
    body.end();
    await done;
    this.upload = undefined;
  }

  async close(): Promise<void> {
    const { upload } = this;
    this.upload = undefined;
    upload?.body.destroy();
    await upload?.done.catch(() => undefined);
  }

  private begin(): Upload {
    const body = new PassThrough();
    const ending = new AbortController();
    const done = this.objects.upload(this.key, body).finally(() => ending.abort());
    // Whoever writes next learns of it.
    done.catch(() => undefined);
    return { body, done, hasEnded: ending.signal };
  }
}
