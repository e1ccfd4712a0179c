import { withoutTrailingSlashes } from '../model/identity';
import type { ServeConfig } from './config';

/** The URL of the web UI, without a slash at the end. @returns undefined where portolan.yaml says no `serve.url` */
export const pageAddress = ({ url }: Pick<ServeConfig, 'url'>): string | undefined =>
  url === undefined ? undefined : withoutTrailingSlashes(url);

/** Path of a run's page. */
export const addressOfRun = (runId: string): string => `/runs/${encodeURIComponent(runId)}`;

/** Full URL of a run's page. */
export function pageOfRun(serve: Pick<ServeConfig, 'url'>, runId: string): string | undefined {
  const address = pageAddress(serve);
  return address === undefined ? undefined : `${address}${addressOfRun(runId)}`;
}
