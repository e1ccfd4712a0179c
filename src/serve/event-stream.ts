import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';

/** A browser or proxy that hears nothing for longer takes the line for a dead one. @format milliseconds */
export const SILENT_MS = 15_000;

/** How an answer of events is described. */
export const eventStream = z.string().describe('text/event-stream');

/** JSON has no line breaks of its own. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const eventOf = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The answer that sends these events as they come. */
export function streamed(reply: Pick<FastifyReply, 'headers'>, events: AsyncGenerator<string>): string {
  reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  // What is described as text comes bit by bit.
  return Readable.from(events) as unknown as string;
}
