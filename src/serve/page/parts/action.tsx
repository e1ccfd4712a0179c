import { randomUUID } from 'node:crypto';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Right } from '../../../model/rights';
import type { RunOwner } from '../../../service/may';
import { mayDo, type Typed, useVisit } from '../visit';
import { Command } from './command';

interface ActionProps {
  /** Path that the form is sent to. */
  readonly to: string;
  readonly button: string;
  /** The equivalent command. */
  readonly command: string;
  readonly right: Right;
  /** The run it acts on or starts, for callers whose rights cover some routes and pipelines only. */
  readonly with?: RunOwner;
  /** The form starts a run; if sent twice, only one. @default false */
  readonly starts?: boolean;
  /** Hidden fields. */
  readonly sent?: Readonly<Record<string, string>>;
  /** @default quiet */
  readonly tone?: 'main' | 'danger';
  /** Fields to fill in. */
  readonly children?: ComponentChildren;
}

/** What was filled in last time, if the form was refused. */
const TypedContext = createContext<Typed['fields']>({});

/** Fields that distinguish forms with the same path. */
const apart = ['bisect', 'run'] as const;

/** A form with one button and its equivalent command. Visitors without the right see only the command. */
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
            // The same ID as before if the outcome is unknown, so that the run is not started twice.
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
      {!isMine &&
        (visit.caller?.rights.includes(right) ? (
          <p class="fine">
            Your <em>{right}</em> right does not cover this route or pipeline.
          </p>
        ) : (
          <p class="fine">
            You need the <em>{right}</em> right.
          </p>
        ))}
    </form>
  );
};

/** The value a field was sent with, unless it was missing or sent twice. */
const wordsOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? given.slice(0, FIELD_MAX) : undefined;

/** What a field shows: what was typed before, or its default. */
const useTyped = (name: string, first: string | undefined): string | undefined =>
  wordsOf(useContext(TypedContext)[name]) ?? first;

/** @format characters */
const FIELD_MAX = 2_000;

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly isNeeded?: boolean;
  readonly value?: string;
  readonly hint?: string;
}

/** A text input. */
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
  <Field name="reason" label={isNeeded ? 'Reason' : 'Reason (saved with the run)'} isNeeded={isNeeded} />
);
