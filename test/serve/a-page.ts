import { parse } from 'node-html-parser';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderPage } from '../../src/serve/page/page-reply';

/** A part of a page as a browser without JavaScript has it. */
export const rendered = (part: ComponentChildren) => parse(renderPage(h(Fragment, null, part)));
