import type { ServeConfig } from './config';

/** Where the page is reached, without a slash at its end. @returns undefined where portolan.yaml says no `serve.url` */
export const pageAddress = ({ url }: Pick<ServeConfig, 'url'>): string | undefined =>
  url?.replace(/\/+$/, '');

/** Where a run is seen on it. */
export function pageOfRun(serve: Pick<ServeConfig, 'url'>, runId: string): string | undefined {
  const address = pageAddress(serve);
  return address === undefined ? undefined : `${address}/runs/${encodeURIComponent(runId)}`;
}
