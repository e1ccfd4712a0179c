import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { S3StoreConfig } from '../store-config';
import { S3Connection } from './s3-connection';

/**
 * What the server of a bucket says of the time, in the header of any answer. It is asked over the connection that the
 * store itself uses: other connections may have other ways out, and other certificates.
 * @returns milliseconds since 1970; undefined if it does not tell
 */
export async function bucketClock(config: S3StoreConfig, withinMs: number): Promise<number | undefined> {
  const { client, bucket } = new S3Connection(config);
  let date: string | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { readonly headers: Readonly<Record<string, string>> }).headers['date'];
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), {
      abortSignal: AbortSignal.timeout(withinMs),
    });
  } catch (thrown) {
    if (date === undefined) throw thrown;
  } finally {
    client.destroy();
  }
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? undefined : at;
}
