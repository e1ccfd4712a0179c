import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { visibleLines } from '../../model/text/plain-text';

/**
 * A page as HTML. The renderer escapes every text and attribute. Invisible characters, and those that change the
 * direction of text, are removed from the whole page.
 */
export const renderPage = (page: VNode): string => `<!doctype html>\n${visibleLines(renderToString(page))}`;
