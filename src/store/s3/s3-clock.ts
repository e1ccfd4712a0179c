import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { S3StoreConfig } from '../store-config';
import { S3Connection } from './s3-connection';

/**
 * Reads the clock of a bucket's server from the header of any response. The request takes the store's own connection:
 * another one may have another proxy and other certificates.
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
