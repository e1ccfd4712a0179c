import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { visibleLines } from '../../model/text/plain-text';

/**
 * A page as HTML. The renderer escapes every text and attribute; what cannot be seen, or would turn the direction of
 * what follows, is left out of all of it, whoever wrote it.
 */
export const renderPage = (page: VNode): string => `<!doctype html>\n${visibleLines(renderToString(page))}`;
