import { lookup } from 'node:dns';
import type { CheckConfig } from '../../../config/config';
import type { CheckResult } from '../../../model/release/promotion';
import { exactDuration } from '../../../model/text/words';
import { timeoutsFor } from '../../../portal/http/limits';
import { Transport } from '../../../portal/http/transport';
import { causeOf } from '../../notify/receivers';
import { runProgram } from '../../run/programs';
import { type CheckContext, variablesOf } from './check-context';
import { stripVTControlCharacters } from 'node:util';
import { maskSecrets } from '../../../model/text/mask-secrets';
import { visibleLines } from '../../../model/text/plain-text';

/** What one try of a check came to. It passed where there is no problem. */
export interface Tried {
  readonly problem?: string;
  readonly output: CheckResult['output'];
  /** Another try would come to the same. */
  readonly isLast?: boolean;
}

/**
 * Starts the program with the context as JSON on its standard input and, in short, as variables. What it has started
 * ends with it.
 * @param folder that it is started in
 */
export async function tryCommand(
  { command, withinMs }: Extract<CheckConfig, { command: unknown }>,
  context: CheckContext,
  folder: string,
  signal: AbortSignal,
): Promise<Tried> {
  const kept = { stdout: new KeptOutput(), stderr: new KeptOutput() };
  const { how, problem } = await runProgram(command, {
    input: context,
    cwd: folder,
    variables: variablesOf(context),
    withinMs,
    signal,
    output: (from, piece) => kept[from].add(piece),
  });
  if (how === 'not started') return { problem, output: {}, isLast: true };
  return { problem, output: { stdout: kept.stdout.text, stderr: kept.stderr.text } };
}

/**
 * Asks for the URL, and follows no redirect. Nothing of ours is sent along.
 * @param portal what connections to the stage's portal need
 */
export async function tryUrl(
  { url, withinMs }: Extract<CheckConfig, { url: string }>,
  portal: { readonly ca?: string; readonly proxy?: string },
  signal: AbortSignal,
): Promise<Tried> {
  const limit = AbortSignal.timeout(withinMs);
  const transport = new Transport({ ...portal, timeouts: timeoutsFor(withinMs), lookup });
  try {
    const { statusCode, body } = await transport.send({
      url: new URL(url),
      method: 'GET',
      headers: {},
      signal: AbortSignal.any([limit, signal]),
    });
    const output = { answer: await beginningOf(body) };
    return statusCode === 200 ? { output } : { problem: `returned HTTP ${statusCode}, not 200`, output };
  } catch (thrown) {
    const problem = limit.aborted
      ? `did not respond within ${exactDuration(withinMs)}`
      : `cannot be reached (${causeOf(thrown)})`;
    return { problem, output: {} };
  } finally {
    await transport.close();
  }
}

/** The status has decided, however the rest of the answer ends. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  let read = Buffer.alloc(0);
  try {
    for await (const piece of body) {
      read = Buffer.concat([read, piece]);
      if (read.length >= OUTPUT_KEPT_MAX) break;
    }
  } catch {
    // What came of it is kept.
  }
  return plainOutput(read.subarray(0, OUTPUT_KEPT_MAX).toString('utf8'));
}

/** So much of each output stays. @format bytes */
const OUTPUT_KEPT_MAX = 4_096;

/** The end of what a program writes, however much that is. */
class KeptOutput {
  private kept = Buffer.alloc(0);
  private isCut = false;

  add(piece: Buffer): void {
    const all = Buffer.concat([this.kept, piece]);
    this.isCut ||= all.length > OUTPUT_KEPT_MAX;
    this.kept = all.subarray(-OUTPUT_KEPT_MAX);
  }

  /** Undefined where nothing was written. */
  get text(): string | undefined {
    const text = this.kept.toString('utf8');
    // A secret is known by the name before it, which the cut may have taken: what stands in the line that was cut goes.
    return plainOutput(this.isCut ? `…\n${afterFirst('\n', text) ?? afterFirst(' ', text) ?? ''}` : text);
  }
}

/** What others wrote, with nothing in it that a terminal obeys or that looks like a secret; undefined for nothing. */
function plainOutput(text: string): string | undefined {
  const plain = maskSecrets(visibleLines(stripVTControlCharacters(text))).trimEnd();
  return plain === '' ? undefined : plain.slice(-OUTPUT_KEPT_MAX);
}

function afterFirst(mark: string, text: string): string | undefined {
  const at = text.indexOf(mark);
  return at === -1 ? undefined : text.slice(at + 1);
}
