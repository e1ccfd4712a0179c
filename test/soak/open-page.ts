import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { Agent, fetch } from 'undici';

/** As the page waits, so that what happens at once is looked at once. @format milliseconds */
const LOOK_AFTER_MS = 400;

/** What a page was told and shown. */
export interface Seen {
  events: number;
  looks: number;
  /** Answers that were no page, by what they were. */
  readonly refused: string[];
}

/**
 * A page as a browser has it open, from an address of its own: it is told when something has changed, and reads itself
 * anew. Goes on until `left`.
 * @param seen is counted on as it goes
 */
export async function openPage(server: string, number: number, left: AbortSignal, seen: Seen): Promise<void> {
  const localAddress = `127.0.1.${1 + (number % 250)}`;
  const dispatcher = new Agent({ localAddress, bodyTimeout: 0 });
  let soon: NodeJS.Timeout | undefined;
  const look = async (headers: Record<string, string>): Promise<void> => {
    const answer = await fetch(server, { headers: { accept: 'text/html', ...headers }, dispatcher });
    const text = await answer.text();
    seen.looks += 1;
    if (answer.status === 200 && text.includes('<main')) return;
    const [problem = ''] = /<strong>.*?<\/strong>[^<]*/u.exec(text) ?? [];
    seen.refused.push(`page: ${answer.status} ${problem}`);
  };
  const lookSoon = (told = ''): void => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      look({ 'portolan-looks-on': told }).catch((thrown: unknown) => {
        if (!left.aborted) seen.refused.push(String(thrown));
      });
    }, LOOK_AFTER_MS);
  };
  await look({});
  while (!left.aborted) {
    try {
      const stream = await fetch(`${server}/api/v1/live`, { dispatcher, signal: left });
      if (stream.status !== 200 || !stream.body) {
        seen.refused.push(`stream: ${stream.status}`);
        await sleep(1_000);
        continue;
      }
      const parser = createParser({
        onEvent: ({ id }) => {
          seen.events += 1;
          lookSoon(id);
        },
      });
      const decoder = new TextDecoder();
      for await (const chunk of stream.body)
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
    } catch (thrown) {
      if (!left.aborted) seen.refused.push(String(thrown));
    }
  }
  clearTimeout(soon);
  await dispatcher.destroy();
}
