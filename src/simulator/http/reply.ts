import type { Readable } from 'node:stream';

/** A handler's response, sent only after the fault plan was applied. */
export type Reply =
  | { readonly kind: 'json'; readonly body: object; readonly status?: number }
  | { readonly kind: 'html'; readonly body: string; readonly status?: number; readonly headers?: Headers }
  | {
      readonly kind: 'stream';
      readonly status: number;
      readonly headers: Headers;
      /** Opened when it is sent. */
      readonly open: () => Readable;
    }
  | { readonly kind: 'redirect'; readonly location: string };

export type Headers = Readonly<Record<string, string | number>>;

export const json = (body: object, status?: number): Reply => ({ kind: 'json', body, status });

/** JSON in the page that portals show without `f=json`. */
export function htmlPage(title: string, body: object): string {
  const text = JSON.stringify(body, null, 2).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!DOCTYPE html>\n<html>\n<head><title>${title}</title></head>\n<body>\n<pre>${text}</pre>\n</body>\n</html>\n`;
}

/** The page of a front-end server whose portal does not respond. */
export const frontEndPage = (status: number): string =>
  `<html><head><title>${status}</title></head><body><h1>${status}</h1><p>The service is not available.</p></body></html>\n`;
