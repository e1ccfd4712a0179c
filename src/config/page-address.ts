import { withoutTrailingSlashes } from '../model/text/trailing-slashes';
import type { ServeConfig } from './config';

/** Where the page is reached, without a slash at its end. @returns undefined where portolan.yaml says no `serve.url` */
export const pageAddress = ({ url }: Pick<ServeConfig, 'url'>): string | undefined =>
  url === undefined ? undefined : withoutTrailingSlashes(url);

/** Where a run is seen on it: a path of the server. */
export const addressOfRun = (runId: string): string => `/runs/${encodeURIComponent(runId)}`;

/** The same as others reach it. */
export function pageOfRun(serve: Pick<ServeConfig, 'url'>, runId: string): string | undefined {
  const address = pageAddress(serve);
  return address === undefined ? undefined : `${address}${addressOfRun(runId)}`;
}
