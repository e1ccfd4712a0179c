import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { readRecorded, recordedHistories, valueOf } from '../../support/recorded';

const root = path.join(__dirname, '..', '..', '..');
const checkedAs = (index: number) =>
  path.join(root, 'test', 'workflows', 'replay', `recorded-payloads-${index}.ts`);

/** Each payload as a call, typed by the code that reads it now. */
function callsOf(name: string): string[] {
  const calls: string[] = [];
  const types = new Map<string, string>();
  const add = (call: string, of: string, value: unknown) => {
    if (value !== undefined) calls.push(`${call}('${of}', ${JSON.stringify(value)}); // ${name}`);
  };
  for (const event of readRecorded(name).history.events) {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) add('started', started.workflowType.name, valueOf(started.input));
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      types.set(event.eventId, scheduled.activityType.name);
      add('input', scheduled.activityType.name, valueOf(scheduled.input));
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) add('output', types.get(completed.scheduledEventId) ?? '?', valueOf(completed.result));
    const signaled = event.workflowExecutionSignaledEventAttributes;
    if (signaled) add('signal', signaled.signalName, valueOf(signaled.input));
  }
  return calls;
}

const head = `
import type { Activities } from '../../../src/activities/activities';
import type { SlotRequest, SlotReleased, PortalQueueState } from '../../../src/model/run/portal-queue';
import type { BisectInput } from '../../../src/model/run/run-input';
import type { BackupInput, DrillInput, RestoreInput, RollbackInput } from '../../../src/model/run/run-input';
import type { DocumentChangeInput, TaskRunInput } from '../../../src/model/portal-change/change';
import type { Approve, Cancel, Refuse, Resume, Supersede, SyncInput, Unnamed } from '../../../src/model/run/run-input';
import type { ProtectInput } from '../../../src/model/snapshot/protect-input';
import type { WatchInput } from '../../../src/model/snapshot/watch-age';
type Name = keyof Activities;
interface Inputs {
  sync: SyncInput | Unnamed<SyncInput>; portalQueue: PortalQueueState; bisect: BisectInput; backup: BackupInput; restore: RestoreInput;
  rollback: RollbackInput; drill: DrillInput; watchAge: WatchInput; settings: DocumentChangeInput;
  categorySchema: DocumentChangeInput; protect: ProtectInput; taskRun: TaskRunInput;
}
interface Signals {
  approve: Approve; reject: Refuse; resume: Resume; cancel: Cancel; supersede: Supersede; granted: string; slotReleased: SlotReleased; ask: SlotRequest; leave: string;
}
declare function started<N extends keyof Inputs>(name: N, value: Inputs[N]): void;
declare function signal<N extends keyof Signals>(name: N, value: Signals[N]): void;
declare function input<N extends Name>(name: N, value: Parameters<Activities[N]>[0]): void;
declare function output<N extends Name>(name: N, value: Awaited<ReturnType<Activities[N]>>): void;
`;

/** Fields that are no longer read do no harm. */
const SURPLUS = 2353;

/** Packages with types of payloads; reading all others would take seconds. */
const typesPayloads = /^(\.|node:|zod$|@temporalio\/(activity|common|workflow)$)/;

/** The compiler's errors for each body. All are compiled together, since their imports take seconds. */
function complaints(...bodies: readonly string[]) {
  const file = path.join(root, 'tsconfig.json');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(file, ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost({ ...options, incremental: false });
  const texts = new Map(bodies.map((body, index) => [checkedAs(index), head + body]));
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, ...more) => {
    const text = texts.get(name);
    return text === undefined
      ? getSourceFile(name, ...more)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2023);
  };
  const cache = ts.createModuleResolutionCache(root, (name) => name, options);
  host.resolveModuleNameLiterals = (names, from, redirect, _options, source) =>
    names.map((name) => {
      if (!typesPayloads.test(name.text) && !from.includes('/node_modules/@types/'))
        return { resolvedModule: undefined };
      const mode = ts.getModeForUsageLocation(source, name, options);
      return ts.resolveModuleName(name.text, from, options, host, cache, redirect, mode);
    });
  const program = ts.createProgram(
    [...texts.keys()],
    { ...options, incremental: false, tsBuildInfoFile: undefined, noUnusedLocals: false, noEmit: true },
    host,
  );
  return [...texts].map(([name, text]) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(name))
      .flatMap(({ code, messageText, start = 0 }) => {
        if (code === SURPLUS) return [];
        const line = text.slice(text.lastIndexOf('\n', start) + 1, text.indexOf('\n', start));
        return [
          `${ts.flattenDiagnosticMessageText(messageText, '\n')}\n  ${line.slice(0, 80)} … ${line.slice(-40)}`,
        ];
      }),
  );
}

describe('payload of a recorded history', () => {
  const calls = [...new Set(recordedHistories.flatMap(callsOf))];
  const [call = ''] = calls.filter((each) => each.startsWith("input('startImport'"));
  const wrong = call.replace(/"packageItemId":"\w+"/, '"packageItemId":7');
  let said: string[][];
  beforeAll(() => {
    said = complaints(calls.join('\n'), wrong);
  });

  it('has the type that this version reads', () => {
    expect(calls.length).toBeGreaterThan(100);
    expect(said[0]).toEqual([]);
  });

  it('is refused if a field has another type', () => {
    expect(call).toContain('"packageItemId":"');
    expect(said[1]?.[0]).toContain("Type 'number' is not assignable to type 'string'");
  });
});
