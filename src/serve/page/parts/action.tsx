import { randomUUID } from 'node:crypto';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Right } from '../../../config/file/serve-schema';
import type { OfRun } from '../../access';
import { mayDo, type Typed, useVisit } from '../visit';
import { Command } from './command';

interface ActionProps {
  /** Where it is sent. */
  readonly to: string;
  readonly button: string;
  /** What can be typed in its place. */
  readonly command: string;
  readonly right: Right;
  /** The run that it is done with, or begins, where somebody may do it with those of some routes and pipelines only. */
  readonly with?: OfRun;
  /** It starts a run: sent twice, it starts one. @default false */
  readonly starts?: boolean;
  /** What it sends besides what is filled in. */
  readonly sent?: Readonly<Record<string, string>>;
  /** @default quiet */
  readonly tone?: 'main' | 'danger';
  /** What its button does besides what it says. */
  readonly children?: ComponentChildren;
}

/** What was filled in the last time, where that was refused. */
const TypedContext = createContext<Typed['fields']>({});

/** Fields by which forms that are sent to one address are told from each other. */
const apart = ['bisect', 'run'] as const;

/** A form with one button, and the command that it stands for. Whoever may not do it sees the command alone. */
export const Action = ({
  to,
  button,
  command,
  right,
  with: subject,
  starts = false,
  sent = {},
  tone,
  children,
}: ActionProps) => {
  const visit = useVisit();
  const { typed } = visit;
  const isTyped = typed?.to === to && apart.every((name) => typed.fields[name] === sent[name]);
  const fields = isTyped ? typed.fields : {};
  const isMine = mayDo(visit, right, subject);
  return (
    <form method="post" action={to} class="action">
      {isMine && (
        <>
          {visit.csrf !== undefined && <input type="hidden" name="_csrf" value={visit.csrf} />}
          {starts && (
            // The same once more where what became of it is not known: it has not begun twice then.
            <input type="hidden" name="requestId" value={wordsOf(fields['requestId']) ?? randomUUID()} />
          )}
          {Object.entries(sent).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <TypedContext.Provider value={fields}>{children}</TypedContext.Provider>
          <button type="submit" class={tone}>
            {button}
          </button>
        </>
      )}
      <Command text={command} />
      {!isMine && (
        <p class="fine">
          This needs the right to {right}, which {visit.caller?.who ?? 'nobody'} does not have.
        </p>
      )}
    </form>
  );
};

/** What a field was sent with; nothing of one that was not sent, or sent twice. */
const wordsOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? given.slice(0, FIELD_MAX) : undefined;

/** What a field shows: what was typed into it before, or else what it begins with. */
const useTyped = (name: string, first: string | undefined): string | undefined =>
  wordsOf(useContext(TypedContext)[name]) ?? first;

/** The most that a field takes. @format characters */
const FIELD_MAX = 2_000;

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly isNeeded?: boolean;
  readonly value?: string;
  readonly hint?: string;
}

/** A line of text that a form asks for. */
export const Field = ({ name, label, isNeeded = false, value, hint }: FieldProps) => (
  <label class="field">
    {label}{' '}
    <input
      type="text"
      name={name}
      value={useTyped(name, value)}
      required={isNeeded}
      maxLength={FIELD_MAX}
      placeholder={hint}
      autocomplete="off"
      spellcheck={false}
    />
  </label>
);

export const Choice = ({
  name,
  label,
  value = 'yes',
}: {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
}) => (
  <label class="choice">
    <input type="checkbox" name={name} value={value} checked={useTyped(name, undefined) === value} /> {label}
  </label>
);

export const Select = ({
  name,
  label,
  options,
  chosen,
}: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
  readonly chosen?: string;
}) => {
  const typed = useTyped(name, chosen);
  return (
    <label class="field">
      {label}{' '}
      <select name={name}>
        {options.map(([value, words]) => (
          <option value={value} selected={value === typed}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
};

export const Reason = ({ isNeeded = false }: { readonly isNeeded?: boolean }) => (
  <Field name="reason" label={isNeeded ? 'Why' : 'Why (kept in the record)'} isNeeded={isNeeded} />
);
