import {
  DELIVERED_WITHIN_MS,
  type Notification,
  type NotifyEvent,
  type WebhookFormat,
} from '../../model/run/notification';
import { shortened } from '../../model/text/plain-text';

/** A message as it is posted. */
interface Post {
  readonly url: string;
  readonly type: string;
  readonly body: string;
}

/** Chats refuse long messages. @format characters */
const TEXT_MAX = 3_000;

/** How each format posts a message. Whatever a portal says in it is shown as text. */
export const formats: Readonly<Record<WebhookFormat, (message: Notification, url: string) => Post>> = {
  json: (message, url) => jsonPost(url, message),

  /** An Adaptive Card; unlike a TextBlock, a TextRun has no Markdown. */
  teams: (message, url) => {
    const { page } = message;
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: textOf(message) }] }],
      actions: page === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open the run', url: page }],
    };
    const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
    return jsonPost(url, { type: 'message', attachments: [card] });
  },

  /** Without markup, only `<`, `>` and `&` have a meaning: links and mentions are written with them. */
  slack: (message, url) => {
    const link = message.page === undefined ? '' : `\n<${slackText(message.page)}>`;
    const text = `${slackText(textOf(message))}${link}`;
    return jsonPost(url, { text, mrkdwn: false, parse: 'none', unfurl_links: false, unfurl_media: false });
  },

  healthchecks: (message, url) => {
    const ping = new URL(url);
    const end = pings[message.event];
    if (end !== '') ping.pathname = `${ping.pathname.replace(/\/+$/, '')}${end}`;
    return { url: ping.href, type: 'text/plain; charset=utf-8', body: shortened(message.text, TEXT_MAX) };
  },
};

/** Where each event is pinged, below the URL of the check. `/log` leaves the state of the check as it is. */
const pings: Readonly<Record<Notification['event'], string>> = {
  started: '/start',
  succeeded: '',
  recovered: '',
  parked: '/fail',
  partial: '/fail',
  failed: '/fail',
  overdue: '/fail',
  waiting: '/log',
  promoted: '/log',
  'rolled-back': '/log',
  test: '/log',
};

const HOUR_MS = 3_600_000;

/**
 * How long a message is retried. A check goes by the last ping: a late success could hide a later failure, and a late
 * start would never end. If a ping is missing, the check itself raises the alarm. @format milliseconds
 */
export function retriedForMs(format: WebhookFormat, event: NotifyEvent): number {
  if (format !== 'healthchecks') return DELIVERED_WITHIN_MS;
  return event === 'started' ? 0 : HOUR_MS;
}

const jsonPost = (url: string, content: object): Post => ({
  url,
  type: 'application/json',
  body: JSON.stringify(content),
});

/** The message in one line, without the page, which gets a link. */
const textOf = ({ text, page }: Notification): string =>
  shortened(page === undefined ? text : text.slice(0, -page.length).trimEnd(), TEXT_MAX);

const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
